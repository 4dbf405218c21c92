"""Answers that sound as if the context were too long, and are about a rate, a quota, a picture or the answer."""

from __future__ import annotations

from tests.overflows import Row, anthropic, chat, plain

_TPM = "tokens per min (TPM): Limit 30000, Requested 132819. The input or output tokens must be reduced"

LOOKALIKES = [
    Row(
        "OpenAI, rate",
        chat(f"Request too large for gpt-4o in organization org-x on {_TPM}", "rate_limit_exceeded"),
        status=429,
    ),
    Row("OpenAI, rate with a 400", chat(f"Request too large for gpt-4o on {_TPM}", "rate_limit_exceeded", "tokens")),
    Row(
        "Groq, rate",
        chat(f"Request too large for model `llama` on {_TPM}", "rate_limit_exceeded", "tokens"),
        status=413,
    ),
    Row(
        "Anthropic, rate",
        anthropic("This request would exceed the rate limit of 40,000 input tokens per minute"),
        status=413,
    ),
    Row(
        "Bedrock, rate",
        plain(message="Too many tokens, please wait before trying again.", __type="ThrottlingException"),
    ),
    Row("Bedrock, day", plain(message="Too many tokens per day, please wait before trying again.")),
    Row("Google, rate", plain(error={"code": 429, "message": "too many tokens", "status": "RESOURCE_EXHAUSTED"})),
    Row("a gateway, rate", plain(error={"code": "429", "message": "token limit exceeded"}), status=500),
    Row("a Chinese gateway, rate", chat("token数量超限，请求频率过高，已限流")),
    Row("OpenAI, quota", chat("You exceeded your current quota, too many tokens", "insufficient_quota")),
    Row("Anthropic, credit", anthropic("Your credit balance is too low to access the Anthropic API.")),
    Row("a gateway, credit", chat("token limit exceeded: 余额不足")),
    Row("Anthropic, long context beta", anthropic("The long context beta is not yet available for this subscription.")),
    Row(
        "Anthropic, answer",
        anthropic("max_tokens: 250000 > 128000, which is the maximum allowed number of output tokens"),
    ),
    Row(
        "OpenAI, answer", chat("max_tokens is too large: 384000. This model supports at most 131072 completion tokens")
    ),
    Row("DeepSeek, answer", chat("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]")),
    Row("Qwen, answer", chat("Range of max_tokens should be [1, 32768]")),
    Row(
        "Groq, answer",
        chat("`max_tokens` must be at most `8192`, which is less than the `context_window` for this model"),
    ),
    Row(
        "vLLM, answer",
        chat("max_completion_tokens=384000 cannot be greater than max_model_len=max_total_tokens=135168."),
    ),
    Row("vLLM, answer below one", chat("max_tokens must be at least 1, got -1.")),
    Row("TGI, answer", plain(error="Input validation error: `max_new_tokens` must be <= 192"), status=422),
    Row(
        "Ark, answer",
        chat("The parameter `max_tokens` is not valid: expected a value <= 12288, but got 16384 instead."),
    ),
    Row("a gateway, answer", chat("max_tokens exceeds the model's output token limit of 8192")),
    Row("OpenAI, one string", chat("Invalid 'input[3].content': string too long. Expected", "string_above_max_length")),
    Row("a gateway, one string", chat("the payload is too large", "string_above_max_length"), status=413),
    Row("OpenAI, tools", chat("Invalid 'tools': array too long. Expected an array with maximum length 128")),
    Row("a gateway, tools", chat("Request too large: too many tools"), status=413),
    Row(
        "Anthropic, image",
        anthropic("messages.9.content.2.image: image exceeds 5 MB maximum: 6291456 bytes"),
        status=413,
    ),
    Row("Anthropic, pixels", anthropic("At least one of the image dimensions exceed max allowed size: 8000 pixels")),
    Row("Anthropic, images", anthropic("too many images and documents: 101 + 0 > 100")),
    Row("an image too large", chat("the image is too large: request too large")),
    Row("a time-out", chat("request too large? timed out after 600 s"), status=413),
    Row("overloaded", anthropic("Overloaded: too many tokens in flight", "overloaded_error"), status=500),
    Row("an outage", chat("Internal server error"), status=500),
    Row("no model", chat("The model `x` does not exist", "model_not_found")),
    Row("a super minimal request", chat("this super minimal request is wrong")),
]
