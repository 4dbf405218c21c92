"""The events by which a stream of the Responses API tells of one output item: added, filled, done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from faithfold.core.values import as_list, as_object, as_text
from faithfold.testing.wire import Fields, slices, words_of

Told = Iterator[tuple[str, Fields]]


def item_events(index: int, item: Fields) -> Told:
    """The name and the fields of each event, in order."""
    place: Fields = {"item_id": item["id"], "output_index": index}
    empty, fill = _KINDS.get(as_text(item["type"]), ({}, _nothing))
    yield "response.output_item.added", {"output_index": index, "item": {**item, **empty}}
    yield from fill(item, place)
    yield "response.output_item.done", {"output_index": index, "item": item}


def _nothing(item: Fields, place: Fields) -> Told:
    del item, place
    yield from ()


def _message(item: Fields, place: Fields) -> Told:
    [part] = map(as_object, as_list(item["content"]))
    text = as_text(part["text"])
    place = {**place, "content_index": 0}
    yield "response.content_part.added", {**place, "part": {**part, "text": ""}}
    for word in words_of(text):
        yield "response.output_text.delta", {**place, "delta": word, "logprobs": []}
    yield "response.output_text.done", {**place, "text": text, "logprobs": []}
    yield "response.content_part.done", {**place, "part": part}


def _arguments(item: Fields, place: Fields) -> Told:
    for part in slices(as_text(item["arguments"])):
        yield "response.function_call_arguments.delta", {**place, "delta": part}
    done = {**place, "name": item["name"], "arguments": item["arguments"]}
    yield "response.function_call_arguments.done", done


def _input(item: Fields, place: Fields) -> Told:
    for part in slices(as_text(item["input"])):
        yield "response.custom_tool_call_input.delta", {**place, "delta": part}
    yield "response.custom_tool_call_input.done", {**place, "input": item["input"]}


def _reasoning(item: Fields, place: Fields) -> Told:
    [part] = map(as_object, as_list(item["summary"]))
    text = as_text(part["text"])
    place = {**place, "summary_index": 0}
    yield "response.reasoning_summary_part.added", {**place, "part": {**part, "text": ""}}
    for word in words_of(text):
        yield "response.reasoning_summary_text.delta", {**place, "delta": word}
    yield "response.reasoning_summary_text.done", {**place, "text": text}
    yield "response.reasoning_summary_part.done", {**place, "part": part}


_KINDS: Mapping[str, tuple[Fields, Callable[[Fields, Fields], Told]]] = {
    "message": ({"status": "in_progress", "content": ()}, _message),
    "function_call": ({"status": "in_progress", "arguments": ""}, _arguments),
    "custom_tool_call": ({"status": "in_progress", "input": ""}, _input),
    "reasoning": ({"summary": (), "encrypted_content": ""}, _reasoning),
}
"""What an item of a kind has not yet when it is added, and the events that fill it."""
