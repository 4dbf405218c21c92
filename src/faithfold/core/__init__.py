"""The core: conversations, their parts, projections of them, and the laws that hold for these."""
