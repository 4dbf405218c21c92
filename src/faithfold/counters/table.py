"""Which counter fits a model: a table, the first match wins.

Exact for OpenAI's models, whose vocabularies are public. No other vocabulary is shipped, so every other count is an
estimate, and says so: the tokens of o200k_base, for Claude multiplied by a measured factor.

The factors of Claude come from the usage that the API reported for real requests (fresh, cached and newly cached input
together), divided by the o200k_base tokens of the JSON text that was sent: what `faithfold.core.sizes` counts. One
measurement is a whole request, or what came in between two requests of one conversation, if that is 1,000 tokens or
more and holds no thinking, no picture and no tool of the provider's own.

    models                    measurements              middle 80 % of the ratios    median    factor
    Claude 3 to 4.6           195, 952,000 tokens       0.85 to 1.14                 1.00      1.10
    Opus 4.7 and later        4, 8,700 tokens           1.26 to 1.49 (all four)      1.35      1.40

The factors are rounded up, since a count that is too low overflows the window; whole requests of the first row lie at
1.08. Of plain text, without its JSON, the medians are 1.15 and 1.53. The first row was measured on models 4.0 to 4.6:
those of 3.x are taken to share their tokenizer. The second is measured on little, but agrees with what the provider
documents: about 30 % more tokens than before. A Claude of another name (2.x, instant, or newer than this table) takes
the larger factor.

Invariant: every name has a counter, and nothing is called exact that isn't.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from faithfold.core.sizes import QUARTERS, Counter
from faithfold.counters.bpe import Bpe

_WHOLE = 100  # per cent


@dataclass(frozen=True, slots=True)
class Estimate:
    """The tokens of another encoding, times `percent` / 100."""

    base: Bpe
    percent: int = _WHOLE

    @property
    def name(self) -> str:
        """Such as `o200k_base x 1.10 (estimate)`."""
        factor = "" if self.percent == _WHOLE else f" x {self.percent / _WHOLE:.2f}"
        return f"{self.base.name}{factor} (estimate)"

    @property
    def exact(self) -> bool:
        """Always false."""
        return False

    def quarters(self, text: str) -> int:
        """The size of `text` in quarter tokens, rounded down."""
        return self.base.tokens(text) * QUARTERS * self.percent // _WHOLE


O200K: Final = Bpe("o200k_base")
CL100K: Final = Bpe("cl100k_base")
CLAUDE: Final = Estimate(O200K, percent=110)
CLAUDE_NEWER: Final = Estimate(O200K, percent=140)
UNKNOWN: Final = Estimate(O200K)

_TABLE: Final[tuple[tuple[str, Counter], ...]] = (
    (r"(chat)?gpt-4o|gpt-4\.[1-9]|gpt-([5-9]|[12]\d)(?!\d)|gpt-oss|o[1-9]\b|codex-mini", O200K),
    (r"gpt-4(?![\w.])|gpt-3\.?5|davinci-002|babbage-002|text-embedding-(ada-002|3-)", CL100K),
    (r"claude-([a-z]+-)?(3|4(?![-.]([7-9]|\d\d)(?!\d)))(?!\d)", CLAUDE),
    (r"claude", CLAUDE_NEWER),
)

# What comes before a model in the last part of a path: `us.anthropic.`, `anthropic:`, `ft:`.
_PREFIXES = r"([a-z_-]+[.:])*?"
_ROWS = tuple((re.compile(_PREFIXES + f"({pattern})"), counter) for pattern, counter in _TABLE)


def counter_for(model: str) -> Counter:
    """The counter of a model, by the name that requests give it: with a provider, a region, a date, or none.

    Never fails: a name that the table doesn't know, or an empty one, gets an estimate.
    """
    name = model.lower().rpartition("/")[2]
    return next((counter for row, counter in _ROWS if row.match(name)), UNKNOWN)
