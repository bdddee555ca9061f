"""Asks with Anthropic's SDK for Python, the asynchronous client."""

import lines  # before the SDK

import anthropic


class Http(lines.Counted, anthropic.DefaultAsyncHttpxClient):
    pass


async def call(model, prompt, max_retries, stream):
    asked = {"model": model, "max_tokens": 64, "messages": [{"role": "user", "content": prompt}], "stream": stream}
    reply = await sdk.with_options(max_retries=max_retries).messages.create(**asked)
    if not stream:
        # A reply without content is what a 200 with something else in it becomes: no error, and no text.
        return "".join(getattr(block, "text", None) or "" for block in getattr(reply, "content", None) or [])
    text = ""
    async for event in reply:
        if event.type == "content_block_delta":
            text += getattr(event.delta, "text", None) or ""
    return text


def show(error):
    response = getattr(error, "response", None)
    return {
        "status": getattr(error, "status_code", None),
        "type": getattr(error, "type", None),
        "code": getattr(error, "error_code", None),
        "message": getattr(error, "api_message", None) or getattr(error, "message", None),
        "retry_after": response.headers.get("retry-after") if response is not None else None,
    }


sdk = anthropic.AsyncAnthropic(
    base_url=lines.BASE, api_key=lines.KEY, default_headers=lines.HEADERS, http_client=Http(trust_env=False)
)
lines.serve(call, show)
