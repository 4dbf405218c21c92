"""Where settings come from, which source stands over which, and how a bad one is refused."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from faithfold.core.errors import SettingsError
from faithfold.engine.policies import POLICIES
from faithfold.proxy.settings import ProxySettings
from faithfold.settings import (
    DEFAULT,
    GROUPS,
    Given,
    load,
    proxy_for,
    settings_file,
    unknown_variables,
    wants_no_colour,
)
from faithfold.strategies.options import CompactSettings


@pytest.fixture(autouse=True)
def toml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A settings file that sets nothing yet, and no variable but the one that names it."""
    for name in os.environ:
        if name.startswith("FAITHFOLD_"):
            monkeypatch.delenv(name)
    path = tmp_path / "faithfold.toml"
    path.touch()
    monkeypatch.setenv("FAITHFOLD_CONFIG", str(path))
    return path


def refusal() -> str:
    with pytest.raises(SettingsError) as raised:
        load(CompactSettings)
    message = str(raised.value)
    assert "\n" not in message
    return message


def test_without_any_source_there_are_the_defaults() -> None:
    loaded = load(CompactSettings)
    assert loaded.settings == CompactSettings()
    assert set(loaded.origins.values()) == {DEFAULT}
    assert list(loaded.origins)[:2] == ["policy", "keep_recent"]


def test_flags_stand_over_variables_over_the_file(toml: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toml.write_text("keep_recent = 1\ncmd_max_chars = 1\nhuman_max_chars = 1\n")
    monkeypatch.setenv("FAITHFOLD_KEEP_RECENT", "2")
    monkeypatch.setenv("FAITHFOLD_CMD_MAX_CHARS", "2")
    loaded = load(CompactSettings, {"keep_recent": Given(3, "--keep-recent")})
    assert loaded.settings == CompactSettings(keep_recent=3, cmd_max_chars=2, human_max_chars=1)
    assert loaded.origins["keep_recent"] == "--keep-recent"
    assert loaded.origins["cmd_max_chars"] == "FAITHFOLD_CMD_MAX_CHARS"
    assert loaded.origins["human_max_chars"] == f"human_max_chars in {toml}"
    assert loaded.origins["results"] == DEFAULT


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("FAITHFOLD_KEEP_RECENT", " 4 ", "keep_recent", 4),
        ("FAITHFOLD_KEEP_RECENT", "", "keep_recent", 3),
        ("FAITHFOLD_KEEP_THINKING", "off", "keep_thinking", False),
        ("FAITHFOLD_KEEP_THINKING", "true", "keep_thinking", True),
        ("FAITHFOLD_TARGET_TOKENS", "900", "target_tokens", 900),
        ("FAITHFOLD_TARGET_TOKENS", "none", "target_tokens", None),
        ("FAITHFOLD_POLICY", "none", "policy", "none"),
        ("FAITHFOLD_RESULTS", "drop", "results", "drop"),
        ("FAITHFOLD_NOT_OURS", "1", "keep_recent", 3),
    ],
)
def test_variables_are_read(
    variable: str, text: str, name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, text)
    assert getattr(load(CompactSettings).settings, name) == value


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("policy = 'none'", "policy", "none"),
        ("policy = ['none', 'cliff']", "policy", ["none", "cliff"]),
        ("keep_thinking = false", "keep_thinking", False),
        ("target_tokens = 900", "target_tokens", 900),
        ("target_tokens = 'none'", "target_tokens", None),
        ("\ufeffkeep_recent = 0", "keep_recent", 0),
    ],
)
def test_the_file_is_read(toml: Path, line: str, name: str, value: object) -> None:
    toml.write_text(line, "utf-8")
    assert getattr(load(CompactSettings).settings, name) == value


@pytest.mark.parametrize(
    ("variable", "text", "expected"),
    [
        ("KEEP_RECENT", "many", 'is "many"; expected a whole number of at least 0'),
        ("KEEP_RECENT", "1.5", 'is "1.5"; expected a whole number of at least 0'),
        ("KEEP_RECENT", "-1", ": keep_recent must not be negative, but is -1"),
        ("KEEP_THINKING", "maybe", 'is "maybe"; expected true or false'),
        ("TARGET_TOKENS", "x\ny", r'is "x\ny"; expected a whole number of at least 0 or none'),
        ("RESULTS", "keep", 'is "keep"; expected drop'),
        ("POLICY", "zip", f": unknown policy 'zip'; known: {', '.join(POLICIES)}"),
    ],
)
def test_a_bad_variable_is_refused_by_name(
    variable: str, text: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"FAITHFOLD_{variable}", text)
    message = refusal()
    assert message.startswith(f"FAITHFOLD_{variable}")
    assert message.endswith(expected)


@pytest.mark.parametrize(
    ("line", "key", "expected"),
    [
        ("keep_recent = '3'", "keep_recent", 'is "3"; expected a whole number of at least 0'),
        ("keep_recent = true", "keep_recent", "is true; expected a whole number of at least 0"),
        ("keep_thinking = 1", "keep_thinking", "is 1; expected true or false"),
        ("policy = 3", "policy", "is 3; expected a name or a list of names"),
        ("policy = [3, true]", "policy", "is [3, true]; expected a name or a list of names"),
        ("policy = []", "policy", "is an empty list; expected a name or a list of names"),
        ("policy = 1979-05-27", "policy", 'is "1979-05-27"; expected a name'),
        ("policy = ['zip']", "policy", "unknown policy 'zip'"),
        ("target_tokens = -1", "target_tokens", "must not be negative"),
        ("keep_recents = 3", "keep_recents", "is no setting; expected one of answer_headers,"),
        ("[compact]\nkeep_recent = 3", "compact", "is no setting"),
    ],
)
def test_a_bad_key_of_the_file_is_refused_by_name(toml: Path, line: str, key: str, expected: str) -> None:
    toml.write_text(line)
    message = refusal()
    assert message.startswith(f"{key} in {toml}")
    assert expected in message


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a = = 2", "is no TOML: Invalid value"),
        (b"a = '\xff'", "is no TOML: expected UTF-8"),
        (b"a = " + b"9" * 5_000, "is no TOML: "),
        (b"a = " + b"[" * 5_000, "is no TOML: "),
    ],
)
def test_a_broken_file_is_refused_by_name(toml: Path, content: bytes, expected: str) -> None:
    toml.write_bytes(content)
    assert refusal().startswith(f"{toml} {expected}")


def test_a_file_that_is_a_folder_is_refused(toml: Path) -> None:
    toml.unlink()
    toml.mkdir()
    assert refusal() == f"{toml} can't be read: Is a directory"


def test_a_file_that_is_named_must_be_there_and_one_in_the_usual_place_need_not(
    toml: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toml.unlink()
    expected = "expected a settings file, or the variable unset"
    assert refusal() == f"FAITHFOLD_CONFIG names {toml}, and there is no such file; {expected}"
    monkeypatch.delenv("FAITHFOLD_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(toml.parent / "none"))
    assert load(CompactSettings).settings == CompactSettings()


def test_a_setting_of_any_group_may_stand_in_the_file(toml: Path) -> None:
    toml.write_text("port = 9000\nthreshold_tokens = 'none'\nkeep_recent = 1\n")
    assert load(CompactSettings).settings == CompactSettings(keep_recent=1)
    assert load(ProxySettings).settings == ProxySettings(port=9000, keep_recent=1)


PROXIES: list[tuple[dict[str, str], str, str | None]] = [
    ({}, "https://api.anthropic.com", None),
    ({"HTTPS_PROXY": "http://proxy:3128"}, "https://api.anthropic.com", "http://proxy:3128"),
    ({"https_proxy": "proxy:3128"}, "https://api.anthropic.com", "http://proxy:3128"),
    ({"HTTPS_PROXY": "http://proxy:3128"}, "http://gateway.example", None),
    ({"ALL_PROXY": "http://proxy:3128"}, "http://gateway.example", "http://proxy:3128"),
    ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "example.com"}, "https://api.example.com:8443", None),
    ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "other.com"}, "https://api.example.com", "http://proxy:3128"),
]


@pytest.mark.parametrize(("variables", "url", "proxy"), PROXIES)
def test_the_proxy_on_the_way_is_the_one_that_the_usual_variables_name(
    variables: dict[str, str], url: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_proxies(variables, monkeypatch)
    assert proxy_for(url) == proxy


def test_a_proxy_on_the_way_that_takes_no_http_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    set_proxies({"ALL_PROXY": "socks5://me:secret@proxy:1080"}, monkeypatch)
    with pytest.raises(SettingsError, match=r"takes HTTP; expected http://HOST:PORT$") as raised:
        proxy_for("https://api.anthropic.com")
    assert "secret" not in str(raised.value)


def set_proxies(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


def test_variables_that_look_like_settings_and_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert unknown_variables() == {}
    for name in ("KEEPRECENT", "CONFG", "NOTHING_LIKE_IT", "KEEP_THINKING"):
        monkeypatch.setenv(f"FAITHFOLD_{name}", "1")
    monkeypatch.setenv("FAITHFOLD_EMPTY", "")
    assert unknown_variables() == {
        "FAITHFOLD_CONFG": "FAITHFOLD_CONFIG",
        "FAITHFOLD_KEEPRECENT": "FAITHFOLD_KEEP_RECENT",
        "FAITHFOLD_NOTHING_LIKE_IT": "",
    }


def test_a_value_that_is_given_in_vain_is_not_blamed(toml: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toml.write_text("cmd_max_chars = 1\nkeep_recent = 4\n")
    monkeypatch.setenv("FAITHFOLD_KEEP_RECENT", "-1")
    assert refusal() == "FAITHFOLD_KEEP_RECENT: keep_recent must not be negative, but is -1"
    monkeypatch.delenv("FAITHFOLD_KEEP_RECENT")
    monkeypatch.setenv("FAITHFOLD_CMD_MAX_CHARS", "-2")
    assert refusal() == "FAITHFOLD_CMD_MAX_CHARS: cmd_max_chars must not be negative, but is -2"


@dataclass(frozen=True, slots=True)
class Window:
    """A group whose settings must fit each other."""

    low: int = 1
    high: int = 2

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise SettingsError(f"low must not be above high, but {self.low} is above {self.high}")


def test_values_that_do_not_fit_each_other_are_refused_by_all_their_origins() -> None:
    fitting = {"low": Given(5, "--low"), "high": Given(6, "--high")}
    assert load(Window, fitting).settings == Window(5, 6)
    with pytest.raises(SettingsError, match=r"^--low and --high: low must not be above high, but 5 is above 3$"):
        load(Window, {"low": Given(5, "--low"), "high": Given(3, "--high")})
    with pytest.raises(SettingsError, match=r"^--low: low must not be above high, but 5 is above 2$"):
        load(Window, {"low": Given(5, "--low")})


def test_the_message_of_a_long_value_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAITHFOLD_KEEP_RECENT", "x" * 10_000)
    assert len(refusal()) < 200


def test_the_file_is_in_the_users_config_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAITHFOLD_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = settings_file()
    assert path is not None
    assert path.parts[-2:] == ("faithfold", "faithfold.toml")


@pytest.mark.parametrize(
    ("value", "terminal", "wanted"),
    [("1", "xterm", True), ("", "xterm", False), ("", "dumb", True), ("", "", False)],
)
def test_no_colour_is_the_users_wish_or_the_terminals(
    value: str, terminal: str, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", value)
    monkeypatch.setenv("TERM", terminal)
    assert wants_no_colour() is wanted


@pytest.mark.parametrize("group", GROUPS)
def test_every_setting_has_a_default(group: type[CompactSettings]) -> None:
    assert load(group).settings == group()
