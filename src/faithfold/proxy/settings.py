"""What can be set about the proxy: where it listens, where it sends to, and what it does to requests.

Invariant: settings that would send keys elsewhere than meant, or offer the proxy to a network without a token, can't be
made.

Source: spec 90-decisions, Proxy; spec 40-proxy, Safety.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from faithfold.core.errors import SettingsError
from faithfold.engine.options import EngineSettings
from faithfold.strategies.options import check_count

ANTHROPIC = "https://api.anthropic.com"
OPENAI = "https://api.openai.com"

_HIGHEST_PORT = 65_535
_PORTS = {"http": 80, "https": 443}
_COUNTS = ("port", "max_body_bytes", "hold_ms", "connect_timeout_s")
_SWITCHES = ("shadow", "answer_headers")
_TEXTS = ("anthropic_upstream", "openai_upstream", "token", "debug_dir")


@dataclass(frozen=True, slots=True)
class ProxySettings(EngineSettings):
    """How the proxy works.

    Attributes:
        threshold_tokens: a request over this size is compacted; None follows the window of its model.
        recognition_max_bytes: as in `EngineSettings`, but for many sessions at once: fifty of a megabyte fit.
        host, port: where it listens. Port 0 takes a free one.
        anthropic_upstream, openai_upstream: where requests go; what stands before the path that a client asks for. None
            is the provider itself.
        shadow: decide and report, and change nothing.
        token: what every request must bring; needed where others than this machine can reach the proxy.
        debug_dir: a folder for dumps of requests and answers; None writes none.
        max_body_bytes: a larger body is refused, with a 413.
        hold_ms: how long the beginning of a stream may be held back, to see whether it is an overflow; 0: never.
        connect_timeout_s: how long a connection to an upstream may take to come about, in seconds.
        answer_headers: whether answers carry `x-faithfold-*` headers.

    Raises:
        SettingsError: a value is of another type or out of range, an upstream is no address or is the proxy itself, or
            the proxy would be open to a network without a token.
    """

    threshold_tokens: int | None = None
    recognition_max_bytes: int = 256 * 1024 * 1024
    host: str = "127.0.0.1"
    port: int = 8257
    anthropic_upstream: str | None = None
    openai_upstream: str | None = None
    shadow: bool = False
    token: str | None = field(default=None, repr=False)
    debug_dir: str | None = None
    max_body_bytes: int = 512 * 1024 * 1024
    hold_ms: int = 250
    connect_timeout_s: int = 10
    answer_headers: bool = True

    def __post_init__(self) -> None:
        """Refuses what can't be meant."""
        EngineSettings.__post_init__(self)
        for name in _COUNTS:
            check_count(name, getattr(self, name))
        for name in _SWITCHES:
            _check_type(name, getattr(self, name), bool, "true or false")
        _check_type("host", self.host, str, "a text")
        for name in _TEXTS:
            if getattr(self, name) is not None:
                _check_type(name, getattr(self, name), str, "a text")
        self._check_place()
        self._check_upstreams()

    def engine(self) -> EngineSettings:
        """The part that the engine needs. Whoever shares the token shares what is remembered."""
        values = {each.name: getattr(self, each.name) for each in fields(EngineSettings)}
        return replace(EngineSettings(), **{**values, "tenant": self.tenant or self.token or ""})

    def _check_place(self) -> None:
        if self.port > _HIGHEST_PORT:
            raise SettingsError(f"port must be at most {_HIGHEST_PORT}, but is {self.port}")
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and self.token.strip()):
            raise SettingsError("token must be one line of ASCII characters")
        if self.token is None and not is_loopback(self.host):
            raise SettingsError(f"host {self.host!r} lets other machines in, and so needs a token")

    def _check_upstreams(self) -> None:
        for name in ("anthropic_upstream", "openai_upstream"):
            url: str | None = getattr(self, name)
            if url is not None and _leads_to(_upstream(name, url), self.host, self.port):
                raise SettingsError(f"{name} is the proxy itself: {url}; expected the address of a provider")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address, or a name."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"


def _upstream(name: str, url: str) -> SplitResult:
    """The parts of an upstream's address.

    Raises:
        SettingsError: it is none that requests can be sent to. The address is not named where it may hold a password.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in _PORTS and parts.hostname and parts.port != 0
    except ValueError:
        usable, parts = False, urlsplit("")
    if "@" in parts.netloc:
        raise SettingsError(f"{name} must hold no name or password: each client sends its own key")
    if not usable or parts.query or parts.fragment or not url.isascii() or not url.isprintable() or " " in url:
        raise SettingsError(f"{name} is {url!r}; expected an address such as {ANTHROPIC}")
    return parts


def _leads_to(upstream: SplitResult, host: str, port: int) -> bool:
    """Whether an upstream is the proxy that listens at `host` and `port`."""
    to = upstream.hostname or ""
    same = to == host.strip("[]").lower() or (is_loopback(to) and (is_loopback(host) or _is_any(host)))
    return same and (upstream.port or _PORTS[upstream.scheme]) == port


def _is_any(host: str) -> bool:
    """Whether a host stands for all addresses of this machine."""
    try:
        return ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return False


def _check_type(name: str, value: object, kind: type[object], expected: str) -> None:
    if type(value) is not kind:
        raise SettingsError(f"{name} must be {expected}, not {value!r}")
