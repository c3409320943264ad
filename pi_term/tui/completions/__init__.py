"""Where the offers of the prompt editor come from: commands, their arguments, files."""
