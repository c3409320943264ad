"""What fills the screen: the main screen, and those that lie over it for a while."""
