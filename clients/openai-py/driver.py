"""Asks with OpenAI's SDK for Python, the asynchronous client, by Chat Completions."""

import lines  # before the SDK

import openai


class Http(lines.Counted, openai.DefaultAsyncHttpxClient):
    pass


async def call(model, prompt, max_retries, stream):
    asked = {"model": model, "messages": [{"role": "user", "content": prompt}], "stream": stream}
    reply = await sdk.with_options(max_retries=max_retries).chat.completions.create(**asked)
    if not stream:
        # A reply without choices is what a 200 with something else in it becomes: no error, and no text.
        choices = getattr(reply, "choices", None) or []
        return "".join(choice.message.content or "" for choice in choices[:1])
    text = ""
    async for part in reply:
        text += "".join(choice.delta.content or "" for choice in (part.choices or [])[:1])
    return text


def show(error):
    response = getattr(error, "response", None)
    body = getattr(error, "body", None)  # of a foreign error, it has no name for what is in there
    details = body.get("details") if isinstance(body, dict) else None
    return {
        "status": getattr(error, "status_code", None),
        "type": getattr(error, "type", None),
        "code": getattr(error, "code", None) or (details.get("error_code") if isinstance(details, dict) else None),
        "message": body.get("message") if isinstance(body, dict) else getattr(error, "message", None),
        "retry_after": response.headers.get("retry-after") if response is not None else None,
    }


sdk = openai.AsyncOpenAI(base_url=lines.BASE, api_key=lines.KEY, default_headers=lines.HEADERS, http_client=Http(trust_env=False))
lines.serve(call, show)
