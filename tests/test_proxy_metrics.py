"""Metrics: what is counted, with labels that no client can make more of, and a registry for each app."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client.parser import text_string_to_metric_families

from faithfold.proxy.events import event_of
from faithfold.proxy.exchange import Exchange
from faithfold.proxy.metrics import Metrics
from faithfold.resending import Engine
from tests.exchanges import body, compacted, decision, exchange
from tests.resending import small


def metrics(*exchanges: Exchange) -> Metrics:
    made = Metrics(Engine(), lambda: 0)
    for each in exchanges:
        made.ended(event_of(each, "ended"))
    return made


def samples(made: Metrics) -> Mapping[str, float]:
    """By name and the values of the labels, as a scraper reads them."""
    families = text_string_to_metric_families(made.text().decode())
    return {
        " ".join([sample.name.removeprefix("faithfold_"), *sample.labels.values()]): sample.value
        for family in families
        for sample in family.samples
    }


def requests(made: Metrics) -> dict[str, float]:
    return {name: value for name, value in samples(made).items() if name.startswith("requests_total")}


def test_requests_are_counted_by_dialect_fate_and_kind_of_answer() -> None:
    made = metrics(
        compacted(1),
        compacted(2, status=201),
        compacted(3, status=529),
        exchange(4, dialect="openai", fate="untouched", status=404),
        exchange(5),
    )
    assert requests(made) == {
        "requests_total anthropic compacted 2xx": 2,
        "requests_total anthropic compacted 5xx": 1,
        "requests_total openai untouched 4xx": 1,
        "requests_total none passed none": 1,
    }


def test_no_client_can_make_more_series() -> None:
    odd = (exchange(n, dialect=f"d{n}", model=f"m{n}", path=f"/{n}", status=n * 1_000) for n in range(20))
    made = metrics(*odd)
    assert requests(made) == {"requests_total none passed none": 20}
    assert not any(each in made.text() for each in (b"m1", b"d1", b"/1"))


def test_sums() -> None:
    one, other = decision(), decision(10)
    made = samples(
        metrics(
            compacted(1, decision=one, tries=3, bytes_in=10, bytes_up=5, bytes_out=7),
            compacted(2, decision=other, bytes_in=1, bytes_up=1, bytes_out=1),
            compacted(3, decision=other, fate="refused", tries=0),
        )
    )
    assert made["tokens_in_total"] == one.tokens_in + 2 * other.tokens_in
    assert made["tokens_out_total"] == one.tokens_out + 2 * other.tokens_out
    assert made["replays_total"] == 2
    assert made["over_budget_total"] == 1
    assert [made[f"bytes_total {way}"] for way in ("in", "up", "out")] == [11, 6, 8]


def test_compactions_are_counted_by_rung() -> None:
    plain, higher = decision(), decision(10)
    assert (plain.rung, higher.rung > 0) == (0, True)
    made = samples(metrics(compacted(1, decision=plain), compacted(2, decision=higher), exchange(3)))
    counted = {name: value for name, value in made.items() if name.startswith("compactions_total")}
    assert counted == {"compactions_total 0": 1, f"compactions_total {higher.rung}": 1}


def test_times_fall_into_buckets() -> None:
    made = samples(metrics(compacted(1, overhead=0.002, first_byte=3.0), compacted(2, overhead=0.2)))
    assert [made[f"overhead_seconds_bucket {edge}"] for edge in ("0.001", "0.0025", "0.1", "0.25")] == [0, 1, 1, 2]
    assert [made[f"first_byte_seconds_bucket {edge}"] for edge in ("2.5", "5.0", "+Inf")] == [0, 1, 1]


def test_gauges_follow_the_engine_and_what_goes_on() -> None:
    engine = Engine(small(700))
    going: list[int] = []
    made = Metrics(engine, lambda: len(going))
    gauges = ("in_flight", "recognition_bytes", "store_bytes", "store_entries")
    assert [samples(made)[name] for name in gauges] == [0, 0, 0, 0]
    engine.prepare(body(), "anthropic")
    going.append(1)
    expected = [1, engine.recognition.size, engine.store.size, 1]
    assert [samples(made)[name] for name in gauges] == expected
    assert all(expected)


def test_two_apps_count_apart() -> None:
    one, other = metrics(exchange(1), exchange(2)), metrics(exchange(1))
    assert sum(requests(one).values()) == 2
    assert sum(requests(other).values()) == 1
