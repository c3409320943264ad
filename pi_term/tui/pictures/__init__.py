"""Images inline: as Kitty's placeholders, by iTerm2's protocol, or as half cells."""
