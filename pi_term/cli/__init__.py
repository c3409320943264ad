"""The command line: arguments, start-up, and the lazy loading of the front end that is needed."""
