"""The words of the wire formats, as data: the kinds of items and blocks that a message is told and read by.

The dialects read messages and the sessions tell formats apart; neither knows the other, so what both must know stands
here. Invariant: each kind stands once, in the table of what it is, and the sets are made of the tables. A kind that is
missing costs recognition at most: what no reader knows is carried whole.

Source: spec 00-model (dialects); spec 90-decisions, Session files and the command line; the APIs' references.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class CallFields(NamedTuple):
    """Where an item that is a call keeps what was asked, and what came of it ("" when an item of its own says that)."""

    arguments: str
    outcome: str = ""


CALLS: Mapping[str, CallFields] = {
    "function_call": CallFields("arguments"),
    "custom_tool_call": CallFields("input"),
    "local_shell_call": CallFields("action"),
    "shell_call": CallFields("action"),
    "apply_patch_call": CallFields("operation"),
    "computer_call": CallFields("action"),
    "tool_search_call": CallFields("arguments"),
    "program": CallFields("code", "result"),
    "web_search_call": CallFields("action", "results"),
    "file_search_call": CallFields("queries", "results"),
    "code_interpreter_call": CallFields("code", "outputs"),
    "image_generation_call": CallFields("revised_prompt", "result"),
    "mcp_call": CallFields("arguments", "output"),
    "mcp_approval_request": CallFields("arguments", "approved"),
}
"""The Responses items that are calls. One with an outcome runs at the provider, or waits for a person."""

OUTPUTS: Mapping[str, str] = {
    "function_call_output": "function_call",
    "custom_tool_call_output": "custom_tool_call",
    "local_shell_call_output": "local_shell_call",
    "shell_call_output": "shell_call",
    "apply_patch_call_output": "apply_patch_call",
    "computer_call_output": "computer_call",
    "tool_search_output": "tool_search_call",
    "program_output": "program",
    "mcp_approval_response": "mcp_approval_request",
}
"""The Responses items that are results, each with the kind of call that it answers."""

PINNED = frozenset({"compaction", "compaction_summary", "context_compaction", "compaction_trigger", "additional_tools"})
"""The Responses items that mean more than their text: a provider's own compaction, and tools defined by an item."""

MESSAGES = frozenset({"message", "agent_message"})
"""The Responses items with a content: what somebody says, and what another agent says."""

ITEM_TYPES = MESSAGES | CALLS.keys() | OUTPUTS.keys() | PINNED | {"reasoning", "item_reference", "mcp_list_tools"}
"""All kinds of Responses items, as their `type` names them."""

PI_ROLES = frozenset({"toolResult", "bashExecution", "hookMessage", "custom", "branchSummary", "compactionSummary"})
"""The roles that only Pi has."""

ANTHROPIC_BLOCKS = frozenset(
    {
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "document",
        "search_result",
        "server_tool_use",
        "mcp_tool_use",
    }
)
"""The content blocks that of the APIs only Anthropic's has, besides those that end in `_tool_result`."""

OPENAI_BLOCKS = frozenset({"image_url", "input_audio", "file", "refusal"})
"""The content blocks that of the APIs only OpenAI's Chat Completions has."""

RESPONSES_BLOCKS = frozenset({"input_text", "output_text", "input_image", "input_file", "summary_text"})
"""The content blocks that of the APIs only OpenAI's Responses has."""
