"""faithfold keeps long conversations with language models inside their budget without losing what matters.

The original conversation is append-only and never edited; what the model is sent is a projection of it, computed
from the originals every time. Importing this package does nothing else: it reads no environment and no file.
"""

from __future__ import annotations

from faithfold import proxy, sessions
from faithfold.compaction import Compaction, compact, faults
from faithfold.core.errors import FaithfoldError, InputError, SettingsError
from faithfold.core.faults import Fault
from faithfold.core.projection import Edited, Kept, Note, Omission, Projection
from faithfold.core.sizes import Counter, Sizer, estimate_tokens
from faithfold.core.voices import SUMMARY_HEADER
from faithfold.dialects.overflow import is_overflow
from faithfold.engine.options import EngineSettings
from faithfold.engine.store import PrefixStore
from faithfold.resending import Decision, Engine
from faithfold.strategies.options import CompactSettings

__version__ = "0.1.0.dev0"

__all__ = [
    "SUMMARY_HEADER",
    "CompactSettings",
    "Compaction",
    "Counter",
    "Decision",
    "Edited",
    "Engine",
    "EngineSettings",
    "FaithfoldError",
    "Fault",
    "InputError",
    "Kept",
    "Note",
    "Omission",
    "PrefixStore",
    "Projection",
    "SettingsError",
    "Sizer",
    "__version__",
    "compact",
    "estimate_tokens",
    "faults",
    "is_overflow",
    "proxy",
    "sessions",
]
