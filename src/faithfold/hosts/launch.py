"""An agent that is about to be started: its command, its variables, and where its requests go in the end.

The idea: an agent knows a provider by its base URL. That is cut into the upstream's address and what the agent's own
paths begin with (`/v1`, or nothing); the proxy's address takes the place of the upstream's, so each request arrives
where it would have arrived without the proxy.

Invariant: a key reaches nobody but whom the agent would have sent it to, or whom the user named as upstream. There is
one upstream a side; a provider that is another one is left as it is.

Source: spec 40-proxy, Safety; spec 90-decisions, Proxy (`run`).
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from faithfold.core.values import as_object, as_text

Side = Literal["anthropic", "openai"]
"""For which of the proxy's two upstreams a provider's requests are."""

_PATIENCE = 20.0  # seconds that an agent may take to say something
_VERSION = "/v1"
_TOKENS = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Provider:
    """Who an agent asks.

    Attributes:
        side: whose paths it has.
        base: its base URL, as the agent has it.
    """

    side: Side
    base: str


ANTHROPIC = Provider("anthropic", "https://api.anthropic.com")
OPENAI = Provider("openai", "https://api.openai.com/v1")
CHATGPT = Provider("openai", "https://chatgpt.com/backend-api/codex")
"""Where Codex goes for those who logged in with ChatGPT."""


@dataclass(slots=True)
class Launch:
    """What is put together before an agent starts.

    Attributes:
        name: of the agent, as people call it.
        command: what is run.
        place: of the agent's program in the command; its arguments follow.
        variables: all that it is given.
        proxy: the proxy's address.
        upstreams: where requests go, by side; what is there from the beginning was set by the user, and stays.
        notes: what the user should know, a line each.
    """

    name: str
    command: list[str]
    place: int
    variables: dict[str, str]
    proxy: str
    upstreams: dict[Side, str]
    notes: list[str] = field(default_factory=list[str])
    _taken: dict[Side, str] = field(default_factory=dict[Side, str])

    @property
    def arguments(self) -> Sequence[str]:
        """Those of the agent."""
        return self.command[self.place + 1 :]

    @property
    def targets(self) -> list[str]:
        """The upstreams that it uses."""
        return [self.upstreams[side] for side in self._taken]

    def insert(self, *arguments: str, before: int = 0) -> None:
        """Puts arguments in before one of the agent's: by default right behind the program."""
        place = self.place + 1 + before
        self.command[place:place] = arguments

    def through(self, provider: Provider) -> str | None:
        """The base URL by which a provider is reached through the proxy; None where its side has another upstream.

        The first provider of a side has it.
        """
        base = provider.base.rstrip("/")
        upstream = base.removesuffix(_VERSION)
        if self._taken.setdefault(provider.side, upstream) != upstream:
            return None
        self.upstreams.setdefault(provider.side, upstream)
        return self.proxy + base[len(upstream) :]

    def redirect(self, providers: Mapping[str, Provider], used: Iterable[str]) -> dict[str, str]:
        """The new base URL of each provider that goes through the proxy, by name.

        Args:
            providers: by name.
            used: names of those that will be asked, as far as that is known, the likeliest first: they come first.
        """
        first = [name for name in used if name]
        order = sorted(providers, key=lambda name: first.index(name) if name in first else len(first))
        found = {name: self.through(providers[name]) for name in order}
        self.notes += [
            f"{self.name}'s provider {name!r} does not go through faithfold"
            for name in first[:1]
            if not found.get(name)
        ]
        return {name: base for name, base in found.items() if base is not None}

    def ask(self, *arguments: str) -> str:
        """What the agent's program says when it is run with these arguments alone; empty where it can't say it."""
        command = [*self.command[: self.place + 1], *arguments]
        try:
            done = subprocess.run(
                command,
                env=self.variables,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return (done.stdout or done.stderr).decode("utf-8", "replace")


def known(
    own: Mapping[str, Provider], sides: Mapping[str, Side], set_up: Iterable[tuple[str, str, str]]
) -> dict[str, Provider]:
    """An agent's providers by name: its own and those that the user set up, as far as they speak one of our dialects.

    Args:
        own: those that it knows without being told.
        sides: of the kinds of providers that speak one of our dialects.
        set_up: name, kind and base URL of each; what the user left out is empty.
    """
    found = dict(own)
    for name, kind, base in set_up:
        usual = found.pop(name, None)
        side = sides.get(kind) if kind else usual and usual.side
        url = base or (usual.base if usual else "")
        if side and url:
            found[name] = Provider(side, url)
    return found


def option(arguments: Sequence[str], *names: str) -> str:
    """The value of an option, by any of its names (`--model x`, `--model=x`); empty where it isn't given."""
    for number, argument in enumerate(arguments):
        if argument in names:
            return "".join(arguments[number + 1 : number + 2])
        name, equals, value = argument.partition("=")
        if equals and name in names:
            return value
    return ""


def read_settings(path: Path) -> Mapping[str, object]:
    """An agent's settings file, JSON with or without comments; empty where there is none that can be read."""
    try:
        return json_object(path.read_text("utf-8-sig"))
    except (OSError, UnicodeError):
        return {}


def json_object(text: str) -> Mapping[str, object]:
    """The JSON object that a text is; comments and commas too many are passed over. Empty where it is none."""
    try:
        parsed: object = json.loads(_TOKENS.sub(lambda token: token[1] or "", text))
    except (ValueError, RecursionError):
        return {}
    return as_object(parsed)


def provider_of(model: object) -> str:
    """The provider that a model's name begins with (`provider/model`), if any."""
    provider, slash, _ = as_text(model).partition("/")
    return provider if slash else ""
