"""Plays a written scenario with real tools and records it as a Claude Code session file."""
