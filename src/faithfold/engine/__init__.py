"""The engine: policies run over conversations."""
