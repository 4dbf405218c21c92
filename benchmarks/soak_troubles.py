"""The table of all trouble: what the client does, what the provider does, and how that may end.

A row a kind. The ends are statuses of answers that came whole, `torn` (an answer that broke off, as it did at the
provider), `none` (the connection was closed without one) and `left` (the client went away).
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks import soak_bodies as bodies
from benchmarks import soak_manners as manners
from benchmarks.soak_bodies import Body, own
from benchmarks.soak_manners import Manner, plainly
from benchmarks.soak_wire import END


@dataclass(frozen=True)
class Trouble:
    """A kind of request.

    Attributes:
        name: of it.
        ends: how it may end.
        act: what the provider does, see `soak_acts`.
        manner: how the client asks.
        body: what it sends.
        tries: how often the provider may see it.
        legal: whether what goes up has to be legal, and to fit the window.
    """

    name: str
    ends: str
    act: str = "answers"
    manner: Manner = plainly
    body: Body = own
    tries: int = 1
    legal: bool = False


WELL = Trouble("all is well", "200", legal=True)

_LADDER = 8

_CLIENTS = (
    Trouble("leaves at once", "left", "is_mute", manners.leaving(0)),
    Trouble("leaves before the first byte", "left", "is_mute", manners.leaving()),
    Trouble("is killed before the first byte", "left", "is_mute", manners.leaving(reset=True)),
    Trouble("leaves in mid-stream", "left", "never_ends", manners.leaving_in_the_answer()),
    Trouble("is killed in mid-stream", "left", "never_ends", manners.leaving_in_the_answer(reset=True)),
    Trouble("reads nothing, and leaves", "left", "pours", manners.leaving(0.4)),
    Trouble("leaves between two replays", "left", "refuses_and_then_is_mute", manners.leaving(), tries=_LADDER),
    Trouble("leaves in a refusal", "left", "never_ends_a_refusal", manners.leaving()),
    Trouble("leaves in its own request", "left", "answers", manners.leaving_in_the_request),
    Trouble("half-closes, waiting", "left", "is_mute", manners.half_closing),
    Trouble("half-closes in mid-stream", "left", "never_ends", manners.half_closing),
    Trouble("sends slowly", "200", manner=manners.slowly, legal=True),
    Trouble("reads slowly", "200", "floods", manners.reading_slowly),
    Trouble("reads slowly what has no length", "200", "tells_no_length", manners.reading_slowly),
    Trouble("sends in chunks", "200", manner=manners.in_chunks, legal=True),
    Trouble("waits for a 100", "200", manner=manners.asking_first, legal=True),
    Trouble("asks twice at once", "200", manner=manners.twice_at_once, tries=2),
    Trouble("lists models", "200", "takes_anything", manners.with_get),
    Trouble("says too short a length", "200 400 none", "takes_anything", manners.too_short),
    Trouble("says too long a length", "left", "takes_anything", manners.too_long),
    Trouble("garbles a chunk", "400 none", "takes_anything", manners.in_garbled_chunks),
    Trouble("says two lengths", "400 none", "takes_anything", manners.framed("content-length: 5", "content-length: 7")),
    Trouble(
        "says a length and chunks",
        "400 none",
        "takes_anything",
        manners.framed("transfer-encoding: chunked", "content-length: 5", more=END),
    ),
    Trouble("speaks no HTTP", "400 none", manner=manners.babbling),
)

_UPSTREAMS = (
    Trouble("upstream begins late", "200", "begins_late"),
    Trouble("upstream drips", "200", "drips"),
    Trouble("upstream floods", "200", "floods"),
    Trouble("upstream reads slowly", "200", "reads_slowly"),
    Trouble("upstream closes without an answer", "502", "closes", tries=2),
    Trouble("upstream resets without an answer", "502", "resets", tries=2),
    Trouble("upstream dies in its head", "502", "dies_in_its_head"),
    Trouble("upstream dies in a stream", "torn", "dies_in_a_stream"),
    Trouble("upstream resets in a stream", "torn", "resets_in_a_stream"),
    Trouble("upstream dies in a body", "torn", "dies_in_a_body"),
    Trouble("upstream closes after its answer", "200", "closes_after_its_answer"),
    Trouble("upstream answers before it has read", "503 502", "answers_before_it_has_read", tries=2),
    Trouble("upstream tells no length", "200", "tells_no_length"),
    Trouble("upstream hints first", "200", "hints_first"),
    Trouble("upstream has nothing to say", "204", "has_nothing_to_say"),
    Trouble("upstream has odd headers", "200", "has_odd_headers"),
    Trouble("upstream has an odd status", "502", "has_an_odd_status"),
    Trouble("refused once", "200 400", "refuses_once", tries=2),
    Trouble("refused once, as too large", "200 413", "refuses_once_as_too_large", tries=2),
    Trouble("refused once, in a stream", "200 400", "refuses_once_in_a_stream", tries=2),
    Trouble("refused for ever", "400", "refuses_for_ever", tries=_LADDER),
    Trouble("rate", "429", "limits_the_rate"),
    Trouble("quota", "400 429", "limits_the_quota"),
    Trouble("upstream fails", "500", "fails"),
    Trouble("upstream is overloaded", "529 503", "is_overloaded"),
)

_LIES = (
    Trouble("upstream says too large a length", "torn", "says_too_large_a_length"),
    Trouble("upstream says too small a length", "200 502", "says_too_small_a_length"),
    Trouble("upstream answers twice", "200", "answers_twice"),
    Trouble("upstream garbles a chunk", "torn 502", "garbles_a_chunk"),
    Trouble("upstream speaks no HTTP", "502", "speaks_no_http"),
    Trouble("upstream's headers have no end", "502", "has_headers_without_end"),
    Trouble("upstream says gzip and isn't", "200", "says_gzip_and_isnt"),
    Trouble("refused in gzip that isn't", "400", "refuses_in_gzip_and_isnt"),
    Trouble("refused with a bomb", "400", "bombs"),
    Trouble("upstream nests deeply", "200", "nests_deeply"),
    Trouble("refused in deep nesting", "400", "refuses_in_deep_nesting"),
    Trouble("upstream says no JSON", "200", "says_no_json"),
)

_CODED = tuple(
    Trouble(f"sends {coding}", "200", body=bodies.coded(coding), legal=True)
    for coding in ("gzip", "deflate", "br", "zstd")
)

_BODIES = tuple(
    Trouble(f"sends a body {name}", ends, "takes_anything", body=body)
    for name, ends, body in (
        ("that says gzip and isn't", "200", bodies.lies_about_its_coding),
        ("cut in its coding", "200", bodies.cut_in_its_coding),
        ("that is a bomb", "413", bodies.bombing("gzip")),
        ("that is a bomb in a coat", "413", bodies.bombing("gzip", "br")),
        ("that is large", "200", bodies.large),
        ("that is too large", "413", bodies.too_large),
        ("that is no JSON", "200", bodies.no_json),
        ("that is cut", "200", bodies.cut),
        ("that nests deeply", "200", bodies.nesting_deeply),
        ("with a deep message", "200", bodies.nesting_in_a_message),
        ("with keys twice", "200", bodies.with_keys_twice),
        ("with lone surrogates", "200", bodies.with_lone_surrogates),
        ("in no UTF-8", "200", bodies.in_no_utf8),
        ("with huge numbers", "200", bodies.with_huge_numbers),
        ("with other types", "200", bodies.with_other_types),
        ("of nothing", "200", bodies.empty),
    )
)

_LARGE = Trouble("sends too large a body in chunks", "413", "takes_anything", manners.in_chunks, bodies.too_large)

TROUBLES = (*_CLIENTS, *_UPSTREAMS, *_LIES, *_CODED, *_BODIES, _LARGE)
"""All kinds."""
