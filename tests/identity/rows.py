"""The form of the tables that say what makes a message another."""

from __future__ import annotations

from collections.abc import Sequence

Rows = Sequence[tuple[str, object, object]]
"""What differs, one message, and the other."""
