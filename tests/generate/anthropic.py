"""Pieces of legal Anthropic conversations: each begins with a model's or a user's message and owes nothing after it."""

from __future__ import annotations

from faithfold import SUMMARY_HEADER
from tests.generate.dice import Dice, Json
from tests.generate.pictures import any_pdf, inline_picture
from tests.generate.shape import Shapes
from tests.pictures import base64_of
from tests.pieces import says, text, think, user

# ---------------------------------------------------------------- blocks


def any_text(dice: Dice) -> Json:
    block = text(dice.text())
    return block | {"cache_control": {"type": "ephemeral"}} if dice.chance(8) else block


def any_thinking(dice: Dice) -> Json:
    return think(dice.text(), f"sig{dice.number(0, 10**9)}==")


def any_use(dice: Dice, identity: str, **more: object) -> Json:
    name = dice.one_of(("Bash", "Read", "Edit"))
    return {"type": "tool_use", "id": identity, "name": name, "input": dice.arguments(), **more}


def any_result(dice: Dice, identity: str) -> Json:
    block: Json = {"type": "tool_result", "tool_use_id": identity, "content": dice.result()}
    match dice.number(0, 6):
        case 0:
            block["content"] = [text(dice.result()), text(dice.text())]
        case 1:
            block["is_error"] = True
        case 2:
            del block["content"]
        case 3:
            block["content"] = [any_text(dice), any_image(dice)]
        case _:
            pass
    return block


def any_image(dice: Dice) -> Json:
    media_type, data = inline_picture(dice)
    inline = {"type": "base64", "media_type": media_type, "data": data}
    linked = {"type": "url", "url": f"https://example.com/{dice.number(0, 99)}.png"}
    return {"type": "image", "source": dice.one_of((inline, inline, linked, {"type": "file", "file_id": "file_1"}))}


def any_document(dice: Dice) -> Json:
    sources: list[Json] = [
        {"type": "base64", "media_type": "application/pdf", "data": base64_of(any_pdf(dice))},
        {"type": "text", "media_type": "text/plain", "data": dice.result()},
        {"type": "content", "content": [text(dice.text())]},
        {"type": "url", "url": f"https://example.com/{dice.number(0, 99)}.pdf"},
        {"type": "file", "file_id": f"file_{dice.number(0, 99)}"},
    ]
    return {"type": "document", "source": dice.one_of(sources), "title": dice.text()}


# ---------------------------------------------------------------- pieces


def one_call(dice: Dice) -> list[Json]:
    i = dice.identity("toolu")
    said = [any_text(dice)] if dice.chance(2) else []
    return [says(*said, any_use(dice, i)), user(any_result(dice, i))]


def parallel_calls(dice: Dice) -> list[Json]:
    ids = [dice.identity("toolu") for _ in range(dice.number(2, 4))]
    return [says(*(any_use(dice, i) for i in ids)), user(*(any_result(dice, i) for i in reversed(ids)))]


def results_apart(dice: Dice) -> list[Json]:
    ids = [dice.identity("toolu") for _ in range(2)]
    return [says(*(any_use(dice, i) for i in ids)), *(user(any_result(dice, i)) for i in ids)]


def calls_apart(dice: Dice) -> list[Json]:
    ids = [dice.identity("toolu") for _ in range(dice.number(2, 3))]
    return [*(says(any_use(dice, i)) for i in ids), *(user(any_result(dice, i)) for i in ids)]


def words_between_calls(dice: Dice) -> list[Json]:
    i, j = dice.identity("toolu"), dice.identity("toolu")
    words = [says(any_text(dice)) for _ in range(dice.number(1, 3))]
    return [says(any_use(dice, i)), *words, says(any_use(dice, j)), user(any_result(dice, i), any_result(dice, j))]


def thinking_apart(dice: Dice) -> list[Json]:
    i = dice.identity("toolu")
    return [says(any_thinking(dice)), says(any_text(dice)), says(any_use(dice, i)), user(any_result(dice, i))]


def signed_thinking(dice: Dice) -> list[Json]:
    i = dice.identity("toolu")
    return [says(any_thinking(dice), any_text(dice), any_use(dice, i)), user(any_result(dice, i))]


def sealed_thinking(dice: Dice) -> list[Json]:
    i = dice.identity("toolu")
    empty: Json = {"type": "thinking", "thinking": "", "signature": "c2VhbGVk"}
    redacted: Json = {"type": "redacted_thinking", "data": f"ZGF0YQ{dice.number(0, 99)}"}
    return [says(dice.one_of((empty, redacted)), any_use(dice, i)), user(any_result(dice, i))]


def interleaved_thinking(dice: Dice) -> list[Json]:
    i, j = dice.identity("toolu"), dice.identity("toolu")
    return [
        says(any_thinking(dice), any_text(dice), any_thinking(dice), any_use(dice, i)),
        user(any_result(dice, i)),
        says(any_thinking(dice), any_use(dice, j)),
        user(any_result(dice, j)),
    ]


def steered(dice: Dice) -> list[Json]:
    i = dice.identity("toolu")
    return [
        says(any_use(dice, i)),
        user(any_result(dice, i), any_text(dice), *([any_image(dice)] if dice.chance(2) else [])),
    ]


def answer(dice: Dice) -> list[Json]:
    said = dice.one_of((dice.text(), [any_text(dice), any_text(dice)], [any_thinking(dice), any_text(dice)]))
    return [{"role": "assistant", "content": said}, human(dice)[0]]


def two_answers(dice: Dice) -> list[Json]:
    return [says(any_text(dice)), {"role": "assistant", "content": dice.text()}, *human(dice)]


def human(dice: Dice) -> list[Json]:
    said = dice.prose(20_050) if dice.chance(25) else dice.text()
    return [{"role": "user", "content": dice.one_of((said, [text(said)]))}]


def pictures(dice: Dice) -> list[Json]:
    return [user(any_image(dice), any_text(dice), any_image(dice))]


def documents(dice: Dice) -> list[Json]:
    upload: Json = {"type": "container_upload", "file_id": "file_7"}
    found: Json = {
        "type": "search_result",
        "source": "https://example.com",
        "title": "t",
        "content": [text(dice.text())],
    }
    return [user(any_document(dice), dice.one_of((upload, found, any_document(dice))), any_text(dice))]


def hosted_tool(dice: Dice) -> list[Json]:
    i = dice.identity("srvtoolu")
    found = {"type": "web_search_result", "title": dice.text(), "url": "https://example.com", "encrypted_content": "E"}
    outcome: object = dice.one_of(([found], {"type": "web_search_tool_result_error", "error_code": "unavailable"}))
    cited = {"type": "text", "text": dice.text(), "citations": [{"type": "char_location", "cited_text": dice.text()}]}
    call = {"type": "server_tool_use", "id": i, "name": "web_search", "input": {"query": dice.text()}}
    return [says(call, {"type": "web_search_tool_result", "tool_use_id": i, "content": outcome}, cited)]


def hosted_across(dice: Dice) -> list[Json]:
    """Programmatic tool calling: the code runs at the provider, its tool calls at the client."""
    s, i, j = dice.identity("srvtoolu"), dice.identity("toolu"), dice.identity("toolu")
    caller = {"type": "code_execution_20250825", "tool_id": s}
    ran: Json = {
        "type": "code_execution_result",
        "stdout": dice.result(),
        "stderr": "",
        "return_code": 0,
        "content": [],
    }
    return [
        says(
            {"type": "server_tool_use", "id": s, "name": "code_execution", "input": {"code": "f()"}}, any_use(dice, i)
        ),
        user(any_result(dice, i)),
        says(any_use(dice, j, caller=caller)),
        user(any_result(dice, j)),
        says({"type": "code_execution_tool_result", "tool_use_id": s, "content": ran}, any_text(dice)),
    ]


def hosted_paused(dice: Dice) -> list[Json]:
    s = dice.identity("srvtoolu")
    page = {"type": "web_fetch_result", "url": "u", "content": any_document(dice), "retrieved_at": None}
    return [
        says(any_text(dice), {"type": "server_tool_use", "id": s, "name": "web_fetch", "input": {"url": "u"}}),
        says({"type": "web_fetch_tool_result", "tool_use_id": s, "content": page}, any_text(dice)),
    ]


def mcp(dice: Dice) -> list[Json]:
    i = dice.identity("mcptoolu")
    call = {"type": "mcp_tool_use", "id": i, "name": "echo", "server_name": "s", "input": dice.arguments()}
    content = [text(dice.result())]
    return [says(call, {"type": "mcp_tool_result", "tool_use_id": i, "is_error": False, "content": content})]


def tool_search(dice: Dice) -> list[Json]:
    s, i = dice.identity("srvtoolu"), dice.identity("toolu")
    references = [{"type": "tool_reference", "tool_name": "Deploy"}]
    found = {"type": "tool_search_tool_search_result", "tool_references": references}
    return [
        says(
            {"type": "server_tool_use", "id": s, "name": "tool_search_tool_regex", "input": {"query": "x"}},
            {"type": "tool_search_tool_result", "tool_use_id": s, "content": found},
            any_use(dice, i),
        ),
        user({"type": "tool_result", "tool_use_id": i, "content": references}),
    ]


def own_compaction(dice: Dice) -> list[Json]:
    return [
        says({"type": "compaction", "content": dice.text()}, *([any_text(dice)] if dice.chance(2) else [])),
        *human(dice),
    ]


def instruction(dice: Dice) -> list[Json]:
    i = dice.identity("toolu")
    said: Json = {"role": "system", "content": dice.one_of((dice.text(), [any_text(dice)]))}
    return dice.one_of(
        (
            [*human(dice), said, says(any_text(dice))],
            [says(any_use(dice, i)), user(any_result(dice, i)), said, says(any_thinking(dice), any_text(dice))],
        )
    )


def notification(dice: Dice) -> list[Json]:
    report = f"<task-notification>\n{dice.text()}\n</task-notification>\n"
    return [user(text(report + dice.one_of(("", dice.text()))))]


def note_back(dice: Dice) -> list[Json]:
    said = f"{SUMMARY_HEADER}\n\nuser: {dice.text()}\n\n---\n\n[Bash] {{}}"
    return [{"role": "user", "content": dice.one_of((said, [text(said)]))}]


# ---------------------------------------------------------------- beginnings


def task(dice: Dice) -> list[Json]:
    return human(dice)


def long_task(dice: Dice) -> list[Json]:
    reminder: Json = {"type": "text", "text": f"<system-reminder>{dice.text()}</system-reminder>"}
    return [user(reminder, any_text(dice)), user(any_image(dice), any_text(dice))]


def instructed_task(dice: Dice) -> list[Json]:
    return [*human(dice), {"role": "system", "content": dice.text()}, says(any_text(dice))]


def compacted_task(dice: Dice) -> list[Json]:
    return [*human(dice), *note_back(dice)]


def provider_compacted(dice: Dice) -> list[Json]:
    return own_compaction(dice)


SHAPES = Shapes(
    begin=(task, long_task, instructed_task, compacted_task, provider_compacted),
    go_on=(
        one_call,
        parallel_calls,
        results_apart,
        calls_apart,
        words_between_calls,
        thinking_apart,
        signed_thinking,
        sealed_thinking,
        interleaved_thinking,
        steered,
        answer,
        two_answers,
        human,
        pictures,
        documents,
        hosted_tool,
        hosted_across,
        hosted_paused,
        mcp,
        tool_search,
        own_compaction,
        instruction,
        notification,
        note_back,
    ),
)
