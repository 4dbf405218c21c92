"""Generated conversations: see `conversations` for the strategies, and a file for each dialect."""
