"""What `status` shows: totals, sessions, notices; bounded, and without anything secret."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from faithfold.core.values import as_list, as_object
from faithfold.proxy.events import event_of
from faithfold.proxy.exchange import Exchange
from faithfold.proxy.status import Status, without_credentials
from tests.exchanges import LABEL, compacted, decision, exchange


def status(**settings: object) -> Status:
    return Status("1.2.3", 900.0, settings, {"anthropic": "https://api.example"})


def shown(told: Status) -> dict[str, object]:
    """As a reader of the page has it."""
    read: dict[str, object] = json.loads(json.dumps(told.to_json(1_000.5)))
    return read


def sessions(told: Status) -> list[dict[str, object]]:
    return [dict(as_object(row)) for row in as_list(shown(told)["sessions"])]


def decided(told: Status, *exchanges: Exchange) -> None:
    for each in exchanges:
        told.decided(event_of(each, "decided"))


def ended(told: Status, *exchanges: Exchange) -> None:
    for each in exchanges:
        told.ended(event_of(each, "ended"))


def test_a_new_proxy_has_nothing_but_itself_to_show() -> None:
    page = shown(status(port=8257))
    assert page.pop("totals") == {
        **dict.fromkeys(("requests", "compactions", "over_budget", "replays", "failures"), 0),
        **dict.fromkeys(("tokens_in", "tokens_out", "tokens_saved"), 0),
        "fates": dict.fromkeys(("passed", "untouched", "substituted", "compacted", "refused", "failed"), 0),
    }
    assert page == {
        "version": "1.2.3",
        "started": 900.0,
        "uptime": 100.5,
        "settings": {"port": 8257},
        "upstreams": {"anthropic": "https://api.example"},
        "in_flight": 0,
        "notices": [],
        "sessions": [],
    }


def test_a_clock_that_was_set_back_gives_no_negative_uptime() -> None:
    assert status().to_json(100.0)["uptime"] == 0


def test_totals() -> None:
    told = status()
    made = decision()
    over = decision(10)
    ended(
        told,
        exchange(1, status=200),
        compacted(2, decision=made, tries=3),
        compacted(3, decision=made, shadow=True),
        compacted(4, decision=over, fate="refused", tries=0, problem="over budget"),
        compacted(5, decision=over, problem="the answer broke off"),
        exchange(6, fate="failed"),
    )
    totals = as_object(shown(told)["totals"])
    assert over.over_budget
    assert totals == {
        "requests": 6,
        "fates": {"passed": 1, "untouched": 0, "substituted": 0, "compacted": 3, "refused": 1, "failed": 1},
        "compactions": 4,
        "tokens_in": 2 * made.tokens_in + 2 * over.tokens_in,
        "tokens_out": 2 * made.tokens_out + 2 * over.tokens_out,
        "tokens_saved": made.tokens_in - made.tokens_out + over.tokens_in - over.tokens_out,
        "over_budget": 1,
        "replays": 2,
        "failures": 2,
    }


def test_a_session_shows_its_newest_request_and_the_way_of_its_size() -> None:
    told = status()
    small, large = decision(1_000_000), decision()
    decided(told, compacted(1, decision=small, tries=0), compacted(2, decision=large, model="other", tries=0))
    ended(told, compacted(2, decision=large, model="other", seconds=7.5))
    assert sessions(told) == [
        {
            "session": LABEL,
            "dialect": "anthropic",
            "model": "other",
            "requests": 2,
            "compactions": 1,
            "tokens_in": large.tokens_in,
            "tokens_out": large.tokens_out,
            "rung": large.rung,
            "threshold": 700,
            "last_seen": 1_007.5,
            "sizes": [[small.tokens_out, False], [large.tokens_out, True]],
        }
    ]


def test_a_decision_after_an_overflow_takes_the_place_of_the_one_before() -> None:
    told = status()
    first, second = decision(), decision(600)
    decided(told, compacted(decision=first, tries=0), compacted(decision=second, tries=1))
    (row,) = sessions(told)
    assert (row["requests"], row["compactions"]) == (1, 1)
    assert row["sizes"] == [[second.tokens_out, True]]


def test_a_session_that_was_not_decided_on_is_only_seen() -> None:
    told = status()
    ended(told, compacted(decision=None, fate="failed"), exchange(2))
    (row,) = sessions(told)
    assert (row["requests"], row["sizes"], row["threshold"]) == (0, [], None)


def test_a_decision_on_what_has_no_session_makes_no_row() -> None:
    told = status()
    decided(told, compacted(session=""))
    assert sessions(told) == []


def test_sizes_are_bounded() -> None:
    told = status()
    made = decision()
    decided(told, *(compacted(number, decision=made, tries=0) for number in range(100)))
    (row,) = sessions(told)
    assert (row["requests"], len(as_list(row["sizes"]))) == (100, 60)


def test_of_many_sessions_the_newest_stay_and_come_first() -> None:
    told = status()
    ended(told, *(exchange(number, session=f"{number:016x}") for number in range(1_001)))
    ended(told, exchange(2_000, session=f"{1:016x}"), exchange(2_001, session="f" * 16))
    labels = [row["session"] for row in sessions(told)]
    assert len(labels) == 1_000
    assert labels[:3] == ["f" * 16, f"{1:016x}", f"{1_000:016x}"]
    assert labels[-1] == f"{3:016x}"


def test_notices_are_one_line_each_and_said_once_the_newest_last() -> None:
    told = status()
    for line in ("first", "second\nline", "first", "x" * 300):
        told.notice(line)
    assert shown(told)["notices"] == ["second�line", "first", "x" * 197 + "..."]
    for number in range(60):
        told.notice(f"notice {number}")
    assert shown(told)["notices"] == [f"notice {number}" for number in range(10, 60)]


@pytest.mark.parametrize(
    ("name", "value", "seen"),
    [
        ("token", "s3cret", "(set)"),
        ("tenant", "s3cret", "(set)"),
        ("token", None, None),
        ("tenant", "", ""),
        ("threshold_tokens", 200_000, 200_000),
        ("policy", ["cliff", "digest"], ["cliff", "digest"]),
        ("policy", ["cliff", object()], ["cliff", "object"]),
        ("debug_dir", Path("/tmp/dumps"), "/tmp/dumps"),
        ("archive_url", "postgres://me:s3cret@host/db?password=s3cret", "postgres://host/db"),
        ("shadow", False, False),
    ],
)
def test_settings_are_shown_but_for_what_is_secret(name: str, value: object, seen: object) -> None:
    page = shown(status(**{name: value}))
    assert page["settings"] == {name: seen}
    assert "s3cret" not in json.dumps(page)


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("https://api.example/v1", "https://api.example/v1"),
        ("https://me:s3cret@api.example/v1", "https://api.example/v1"),
        ("https://me:s3@cret@api.example", "https://api.example"),
        ("https://api.example/@scope/v1?key=s3cret#s3cret", "https://api.example/@scope/v1"),
    ],
)
def test_upstreams_are_shown_without_credentials(url: str, seen: str) -> None:
    told = Status("1", 0.0, {}, {"anthropic": url})
    assert shown(told)["upstreams"] == {"anthropic": seen}
    assert without_credentials(url) == seen
