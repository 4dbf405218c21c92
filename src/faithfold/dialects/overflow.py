"""Whether a provider's answer says that the context is too long: one table of wordings for all of them.

The idea: an error is read as flat text. Gateways put a provider's JSON into strings of their own, cut it off, or send a
page; providers that speak one dialect differ in where the sentence stands. The words are the same wherever they stand.

Codes decide first: they can mean nothing else. Then what is refused for another reason, such as a rate or a quota, is
ruled out: some of these speak of too many tokens as well. Then the phrases decide. What an error quotes of the request
is not read: a conversation may well be about context windows.

Invariant: nothing here raises, whatever the bytes; and no status that stands for a limit of rate is ever an overflow.

Source: spec 05-api, is_overflow; faults B054 to B056.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from faithfold.core.values import as_list, as_object, as_text, is_object

ERROR_LIMIT = 64 * 1024
"""Bytes of an error that are read: what it says stands at its beginning."""

SMALLEST_WINDOW = 1_000
"""Tokens. A smaller number beside an overflow is a slip of the provider's, or something else than a window."""

# 500: llama.cpp, Gemini and gateways answer so. 429, and any other status, is about something else.
_STATUSES = frozenset({400, 413, 422, 500})
_TOO_LARGE = 413

_WINDOW_FULL = "model_context_window_exceeded"
"""Where a model stops for want of room; Zhipu answers an overflow with it, and Claude a request that just fits."""

_CODES = re.compile(
    r"context_(?:length|window)_exceeded|contextwindowexceedederror|exceed_context_size_error"
    r"|model_max_prompt_tokens_exceeded|tokens_limit_reached|prompt_too_long"
)

_REFUSALS = (
    # rates
    r"rate.?limit|too many requests|throttl|\bper[ _-]?(?:min|second|hour|day|month)|\b[rt]p[dm]\b|overloaded",
    r"""["'](?:code|status)["']: ?["']?429\b|resource_exhausted|限流|频率""",
    # money
    r"quota|billing|payment|credit balance|insufficient[ _](?:balance|credit|fund|quota)|余额|额度",
    # one part of a request, or the length of the answer alone
    r"string_above_max_length|too many (?:images|tools)|images? (?:exceeds?|(?:is|are) too) |image dimensions",
    r"maximum allowed number of output tokens|supports at most [\d,]+ completion tokens",
    # time
    r"timed? ?out",
)
_REFUSED = re.compile("|".join(_REFUSALS))

_N = r"[\d,]{1,15}"
_W = r"(?P<window>\d[\d,]{2,14})"  # the size that an answer names
_OF = rf"(?:(?:: {_N} \+ {_N} >| of)? \(?{_W})?"

# One wording a line, less what others contain. Blanks are single, letters small, and quotes of code left out.
_PHRASES = tuple(
    re.compile(wording)
    for wording in (
        # Anthropic, Vertex; with a comma, Fireworks; Ollama, Zhipu, Baidu
        rf"prompt (?:tokens )?(?:is )?too long(?:: {_N}(?: tokens >|, model maximum context length:) {_W})?",
        # OpenAI Responses, Anthropic (prompt and max_tokens), llama.cpp, SGLang, GLM, Cloudflare, LM Studio, gpt4all
        rf"exceed\w* (?:\S+ ){{0,4}}context (?:window|length|size|limit)(?: size| limit)?{_OF}",
        # MiniMax, LM Studio, Zed
        rf"context (?:window|length|size)(?: has been)? exceed(?:s|ed)(?:: {_N} tokens exceeds the limit of {_W})?",
        # OpenAI Chat, Azure, DeepSeek, OpenRouter, vLLM; xAI (prompt)
        rf"max(?:imum)? (?:context|prompt|model) length(?: is| of|:) {_W}",
        # Groq; Cerebras names the size
        rf"reduce the length of the (?:input )?(?:messages|prompt)(?:.{{0,40}} {_N} while limit is {_W})?",
        # Gemini; Vertex
        rf"exceeds the maximum number of (?:input )?tokens(?: allowed)?(?: \({_W})?",
        rf"input token count is {_N} but the model (?:only )?supports (?:only )?up to {_W}",
        # Bedrock, Kimi, Gemini; Bedrock with bytes; Nova
        r"\binput(?: \w+){0,3} too long\b",
        r"too many total text bytes",
        r"number of input tokens exceeds maximum length",
        # Copilot, Vertex
        rf"(?:token count of|request contains) {_N}(?: tokens, which)? exceeds the limit of {_W}",
        # GitHub Models
        rf"body too large for .{{1,80}} max size: {_W} tokens",
        # Kimi and others
        rf"exceed\w* (?:(?!output|completion)\S+ ){{0,3}}token limit(?: ?: ?{_W})?",
        # Qwen
        rf"range of input length should be \[\d+, ?{_W}",
        # Together, SGLang, LM Studio, older vLLM
        rf"(?:longer|greater) than the (?:\S+ ){{0,2}}(?:context|model) length{_OF}",
        rf"too long to fit into the model(?: \(context length {_W})?",
        r"max_tokens must be at least 1, got -\d{2}",  # what is left beside the prompt
        # Mistral
        rf"too large for model with {_W} maximum context",
        # Poolside, SGLang; Ark
        rf"maximum allowed (?:input )?length(?: of)? \(?{_W}",
        rf"input length {_N} exceeds the maximum length {_W}|exceed max message tokens",
        # TGI
        rf"inputs tokens \+ max_new_tokens must be <= {_W}",
        # Azure
        rf"input tokens exceed the configured limit of {_W}",
        # Cohere
        rf"total (?:number of )?tokens (?:\(.{{1,40}}\) cannot exceed|exceeds the model\S* max of) {_W}",
        # LM Studio, NVIDIA; RKLLM, DwarfStar
        rf"context length (?:of|is) only {_W}|n_keep.{{1,20}} n_ctx",
        rf"context (?:size|window) is {_W} tokens",
        # Zhipu
        r"prompt exceeds max length|tokens in request more than max tokens allowed",
        # providers that answer in Chinese
        r"prompt ?超长|上下文.{0,6}超|超[出过].{0,10}(?:上下文|最大长度)|输入(?:长度|内容)?超|长度超限|token ?数量?超",
        # OpenAI, Kimi: too many messages
        r"'(?:input|messages)': array too long|messages' is too long",
        # a limit in bytes
        r"request_too_large|request exceeds the maximum size|payload size exceeds",
        r"(?:request|entity|payload|content|body) (?:is )?too large",
        # anybody
        r"too many (?:input )?tokens|token limit (?:has been )?exceeded",
    )
)
_SIZE_FIELD = re.compile(rf"n_ctx\W{{1,4}}{_W}")  # llama.cpp

# A run of backslashes, one for each string around the string, is looked at once.
_UNICODE = re.compile(r"(?<!\\)\\++u([0-9a-fA-F]{4})")
_SPACE = re.compile(r"(?:(?<!\\)\\++[nrt]|\s)+")
_MARKS = re.compile(r"[\\`]")
_QUOTED_REQUEST = re.compile(r"""["'](?:input|messages)["'] ?: ?[\[{"']""")


def is_overflow(status: int, body: bytes) -> bool:
    """Whether an answer says that the context is too long for the model, or the request for the provider.

    An error about a rate, a quota, a picture or the length of the answer alone is none, in whatever words.

    Args:
        status: of the answer.
        body: of the answer, without its content encoding; JSON, JSON in strings, a page, or anything.
    """
    if status not in _STATUSES:
        return False
    said = _flat(body)
    return _says_too_long(said) or (status == _TOO_LARGE and not _REFUSED.search(said))


def window_in(body: bytes) -> int | None:
    """The size in tokens that an overflow names as what there is room for, or None where it names none.

    Some providers count the answer in, some don't: it is a ceiling, and no promise.

    Args:
        body: of the answer, as for `is_overflow`.
    """
    said = _flat(body)
    return next(_windows(said), None) if _says_too_long(said) else None


def overflow_event(data: bytes) -> bool:
    """Whether an event of a stream that began well says that the context is too long (fault B055).

    Args:
        data: of one event, as it stands behind `data:`; or one message of a WebSocket.
    """
    event = _parsed(data)
    if _WINDOW_FULL in _stop_reasons(event):
        return True
    error = _error_in(event)
    return bool(error) and _says_too_long(_flat(json.dumps(error).encode()))


def is_lifecycle(data: bytes) -> bool:
    """Whether an event of a stream comes before any content, so that it can be held back for a moment.

    Args:
        data: as for `overflow_event`; empty for a comment.
    """
    if not data.strip():
        return True
    event = _parsed(data)
    if "choices" in event:
        return not any(_has_content(as_object(choice)) for choice in as_list(event["choices"]))
    return as_text(event.get("type")) in _LIFECYCLE


_LIFECYCLE = frozenset({"message_start", "ping", "response.created", "response.in_progress", "response.queued"})


def _flat(body: bytes) -> str:
    """What an error says, as one line in small letters."""
    text = body[:ERROR_LIMIT].decode("utf-8", "replace")
    text = _UNICODE.sub(lambda escape: chr(int(escape[1], 16)), text)
    text = _MARKS.sub("", _SPACE.sub(" ", text)).lower()
    quoted = _QUOTED_REQUEST.search(text)
    return text if quoted is None else text[: quoted.start()]


def _says_too_long(said: str) -> bool:
    if _CODES.search(said):
        return True
    return not _REFUSED.search(said) and any(phrase.search(said) for phrase in _PHRASES)


def _windows(said: str) -> Iterator[int]:
    for phrase in (*_PHRASES, _SIZE_FIELD):
        found = phrase.search(said)
        named = found and found.groupdict().get("window")
        if named and (size := int(named.replace(",", ""))) >= SMALLEST_WINDOW:
            yield size


def _parsed(data: bytes) -> Mapping[str, object]:
    """The JSON object in an event, or an empty one."""
    try:
        return as_object(json.loads(data))
    except (ValueError, RecursionError):
        return {}


def _error_in(event: Mapping[str, object]) -> object:
    """The error that an event reports, or None: Responses puts it into the response, some into the event itself."""
    error = event.get("error") or as_object(event.get("response")).get("error") or event.get("error_message")
    if error:
        return error
    return event if "error" in (event.get("type"), event.get("object")) else None


def _stop_reasons(event: Mapping[str, object]) -> list[object]:
    reasons = [as_object(choice).get("finish_reason") for choice in as_list(event.get("choices"))]
    return [*reasons, as_object(event.get("delta")).get("stop_reason")]


def _has_content(choice: Mapping[str, object]) -> bool:
    """Whether a choice of Chat brings anything but a role."""
    delta = choice.get("delta")
    brought = any(value for name, value in delta.items() if name != "role") if is_object(delta) else bool(delta)
    return brought or bool(choice.get("finish_reason"))
