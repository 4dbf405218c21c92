"""Answers in which providers and gateways refuse a request: for its length, and for what only sounds like it."""

from __future__ import annotations

import json
from typing import NamedTuple


class Row(NamedTuple):
    """An answer, who gives it, and the size that it names."""

    who: str
    body: bytes
    window: int | None = None
    status: int = 400


def anthropic(message: str, kind: str = "invalid_request_error") -> bytes:
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}).encode()


def chat(message: str, code: str | int | None = None, kind: str = "invalid_request_error") -> bytes:
    return json.dumps({"error": {"message": message, "type": kind, "param": "messages", "code": code}}).encode()


def plain(**fields: object) -> bytes:
    return json.dumps(fields).encode()


_MAX_CONTEXT = "This model's maximum context length is"
_VLLM = "However, you requested 16000 output tokens and your prompt contains at least 115073 input tokens, for a total"
_GOOGLE = "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."

OVERFLOWS = [
    Row("Anthropic", anthropic("prompt is too long: 213462 tokens > 200000 maximum"), 200_000),
    Row(
        "Anthropic, with max_tokens",
        anthropic("input length and `max_tokens` exceed context limit: 189136 + 20000 > 204648, decrease input length"),
        204_648,
    ),
    Row("Anthropic, bytes", anthropic("Request exceeds the maximum size", "request_too_large"), status=413),
    Row("Anthropic, 413", anthropic("Request size exceeds model context window"), status=413),
    Row(
        "OpenAI Chat",
        chat(f"{_MAX_CONTEXT} 8192 tokens. However, your messages resulted in 8545 tokens.", "context_length_exceeded"),
        8_192,
    ),
    Row("OpenAI, older", chat(f"{_MAX_CONTEXT} 4097 tokens, however you requested 4231 tokens"), 4_097),
    Row("OpenAI Responses", chat("Your input exceeds the context window of this model. Please adjust your input")),
    Row("OpenAI, too many messages", chat("Invalid 'messages': array too long. Expected an array with maximum 2048")),
    Row(
        "Azure",
        chat("Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 302473 tokens."),
        272_000,
    ),
    Row("Gemini", json.dumps([{"error": {"code": 400, "message": _GOOGLE}}]).encode(), 1_048_575),
    Row("Gemini, in a string", chat(json.dumps({"error": {"message": _GOOGLE}}, indent=2)), 1_048_575),
    Row(
        "Gemini, no count", chat("The input token count exceeds the maximum number of tokens allowed (65536)."), 65_536
    ),
    Row("Gemini, 500", chat("Your input context is too long. Reduce your input context.", 500), status=500),
    Row("Gemini, bytes", chat("Request payload size exceeds the limit: 20971520 bytes.")),
    Row(
        "Vertex",
        chat(
            "Unable to submit request because the input token count is 32825 but the model only supports up to 32768."
        ),
        32_768,
    ),
    Row("Vertex, other", chat("Request contains 35000 tokens, which exceeds the limit of 32768."), 32_768),
    Row("Bedrock", plain(message="Input is too long for requested model.", __type="ValidationException")),
    Row("Bedrock, bytes", plain(message="too many total text bytes: 25000000 > 24000000")),
    Row("Bedrock, tokens", plain(message="Input exceeds the max input token limit")),
    Row("Bedrock, Nova", plain(message="Input Tokens Exceeded: Number of input tokens exceeds maximum length.")),
    Row(
        "Mistral",
        plain(message="Prompt contains 65673 tokens, too large for model with 32768 maximum context length"),
        32_768,
    ),
    Row(
        "Mistral, other",
        plain(message="tokens in the prompt exceeds the model's maximum context length of 32768.", code=3051),
        32_768,
    ),
    Row("Groq", chat("Please reduce the length of the messages or completion.")),
    Row(
        "Cerebras",
        chat("Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000"),
        40_000,
    ),
    Row("Cerebras, no body", b"", status=413),
    Row(
        "Together",
        chat("The input (140000 tokens) is longer than the model's context length (131072 tokens)."),
        131_072,
    ),
    Row(
        "Fireworks",
        plain(object="error", message="The prompt is too long: 264613, model maximum context length: 262141"),
        262_141,
    ),
    Row("DeepSeek", chat(f"{_MAX_CONTEXT} 131072 tokens. However, you requested 131134 tokens", "invalid"), 131_072),
    Row("Kimi", chat("Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)"), 262_144),
    Row("Kimi, input", chat("Input token length too long")),
    Row(
        "Qwen", chat("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]"), 204_800
    ),
    Row("Zhipu", plain(error={"code": "1261", "message": "Prompt exceeds max length"})),
    Row("Zhipu, Chinese", plain(error={"code": "1261", "message": "Prompt 超长"})),
    Row("Zhipu, other", plain(error={"code": "1210", "message": "tokens in request more than max tokens allowed"})),
    Row(
        "Zhipu, to Claude Code",
        anthropic("API 调用参数有误。Request 182387 input tokens exceeds the model's maximum context length 202750"),
        202_750,
    ),
    Row("xAI", chat("This model's maximum prompt length is 131072 but the request contains 136973 tokens."), 131_072),
    Row(
        "Cohere",
        plain(
            message="too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354"
        ),
        2_048,
    ),
    Row("Cohere, other", plain(message="total tokens exceeds the model's max of 4096"), 4_096),
    Row(
        "OpenRouter",
        chat("This endpoint's maximum context length is 131072 tokens. However, you requested about 135349 tokens"),
        131_072,
    ),
    Row(
        "OpenRouter, raw",
        plain(error={"message": "Provider returned error", "code": 400, "metadata": {"raw": chat(_GOOGLE).decode()}}),
        1_048_575,
    ),
    Row(
        "Poolside",
        chat("Provider returned error: Input length 131393 exceeds the maximum allowed input length of 131040 tokens."),
        131_040,
    ),
    Row(
        "LiteLLM",
        chat(f"litellm.BadRequestError: AnthropicException - b'{anthropic('prompt is too long').decode()}'", "400"),
    ),
    Row("LiteLLM, class", chat("litellm.ContextWindowExceededError: litellm.BadRequestError: no", "400")),
    Row(
        "LiteLLM, 500",
        chat("APIConnectionError: exceeds the model's maximum context length of 131072 tokens"),
        131_072,
        500,
    ),
    Row(
        "vLLM",
        chat(f"{_MAX_CONTEXT} 131072 tokens. {_VLLM} of at least 131073 tokens.", 400, "BadRequestError"),
        131_072,
    ),
    Row(
        "vLLM, the answer does not fit beside",
        chat(f"'max_tokens' is too large: 16000. {_MAX_CONTEXT} 8192 tokens"),
        8_192,
    ),
    Row("vLLM, nothing is left", plain(object="error", message="max_tokens must be at least 1, got -186.", code=400)),
    Row(
        "vLLM, inner",
        chat("The decoder prompt (length 21535) is longer than the maximum model length of 16384."),
        16_384,
    ),
    Row(
        "vLLM, images",
        chat("The prompt (total length 25938) is too long to fit into the model (context length 4096)"),
        4_096,
    ),
    Row(
        "vLLM, a slip",
        chat(f"{_MAX_CONTEXT} 3 tokens. However, your request has 8 input tokens. {_VLLM}. prompt too long"),
    ),
    Row(
        "NVIDIA", chat("However, the model's context length is only 131072 tokens, resulting in a maximum of"), 131_072
    ),
    Row("SGLang", chat("Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens)."), 59_862),
    Row("SGLang, other", chat("Input length (265330) exceeds model's maximum context length (262144)."), 262_144),
    Row(
        "llama.cpp",
        plain(
            error={
                "code": 400,
                "message": "no",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 9,
                "n_ctx": 8192,
            }
        ),
        8_192,
    ),
    Row("llama.cpp, words", chat("request (66202 tokens) exceeds the available context size (65536 tokens)"), 65_536),
    Row("llama.cpp, short", chat("the request exceeds the available context size, try increasing it", 500), status=500),
    Row("llama-cpp-python", chat("Requested tokens (2285) exceed context window of 2048"), 2_048),
    Row("Ollama", plain(error="prompt too long; exceeded max context length by 4096 tokens")),
    Row("Ollama, other", plain(error="the input length exceeds the context length")),
    Row("LM Studio", plain(error="Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"), 7_424),
    Row("LM Studio, keep", chat("tokens to keep from the initial prompt is greater than the context length")),
    Row(
        "LM Studio, loaded",
        chat("the model is loaded with context length of only 7866 tokens, which is not enough"),
        7_866,
    ),
    Row("LM Studio, MLX", chat("Context size has been exceeded")),
    Row(
        "TGI",
        plain(
            error="Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32768. Given: 3",
            error_type="x",
        ),
        32_768,
        422,
    ),
    Row(
        "Copilot",
        plain(error={"message": "prompt token count of 138898 exceeds the limit of 64000", "code": "x"}),
        64_000,
    ),
    Row("Copilot, code", plain(error={"message": "no", "code": "model_max_prompt_tokens_exceeded"})),
    Row(
        "GitHub Models",
        plain(
            error={
                "code": "tokens_limit_reached",
                "message": "Request body too large for gpt-4o. Max size: 8000 tokens.",
            }
        ),
        8_000,
        413,
    ),
    Row("MiniMax", anthropic("invalid params, context window exceeds limit (2013)")),
    Row(
        "Ark",
        plain(error={"code": "InvalidParameter", "message": "Input length 203743 exceeds the maximum length 202752"}),
        202_752,
    ),
    Row("Ark, images", chat("Total tokens of image and text exceed max message tokens")),
    Row("Cloudflare", chat("AiError: tokens (40000) exceeded this model context window limit (32768)"), 32_768, 413),
    Row("Zed", chat("Context window exceeded: 120002 tokens exceeds the limit of 120000 tokens"), 120_000),
    Row("RKLLM", chat("Prompt is 11543 tokens but the model context window is 4096 tokens."), 4_096),
    Row("DwarfStar", chat("Prompt has 150,000 tokens, but the configured context size is 128,000 tokens"), 128_000),
    Row(
        "a gateway", plain(error={"type": "context_window_exceeded", "code": 400, "message": "请求超出模型上下文限制"})
    ),
    Row("Kimi, too many messages", chat("Invalid request: '$.messages' is too long. Maximum length is 2048 items")),
    *(
        Row(f"a Chinese gateway, {words}", chat(words))
        for words in ("上下文长度超出", "超出最大上下文", "超过最大长度")
    ),
    *(
        Row(f"a Chinese gateway, {words}", chat(words))
        for words in ("输入长度超过模型上限", "长度超限", "token数量超过上限")
    ),
    *(
        Row(f"anybody, {words}", chat(words))
        for words in ("request_too_large", "Request exceeds the maximum size", "Too many tokens")
    ),
    *(
        Row(f"anybody, {words}", chat(words))
        for words in ("Message exceeds token limit.", "Token limit exceeded", "Request too large")
    ),
]
