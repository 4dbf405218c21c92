"""Everything that faithfold raises on purpose; each message is one line that says what to do.

FaithfoldError
├── InputError       an input that can't be read, or isn't what was expected
└── SettingsError    a setting with an unknown name or a value out of range
"""

from __future__ import annotations


class FaithfoldError(Exception):
    """Base of all errors raised on purpose."""


class InputError(FaithfoldError):
    """The input can't be read, or is not what was expected."""


class SettingsError(FaithfoldError):
    """A setting has an unknown name or a value out of range."""
