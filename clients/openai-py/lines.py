"""The line protocol of a driver for Python: reads calls, one JSON object a line, and answers each with exactly one line,
whatever becomes of it. With PRESERVECHECK_CLIENT_PROMPT in the environment it makes that one call instead of reading any.

It has to be imported before an SDK is: it takes away what an SDK would look for in its surroundings.
"""

import asyncio
import contextvars
import json
import os
import sys
import time

_settings = {name[21:]: value for name, value in os.environ.items() if name.startswith("PRESERVECHECK_CLIENT_")}

# Keys, profiles, proxies and tracing are switched on by variables and by files at home. SYSTEMROOT is what sockets need on Windows.
for _name in list(os.environ):
    if _name.upper() not in ("SYSTEMROOT", "TMPDIR", "TEMP"):
        del os.environ[_name]
os.environ["HOME"] = os.environ["USERPROFILE"] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "no-home")

_out, sys.stdout = sys.stdout, sys.stderr  # Standard output is the protocol's.

BASE = _settings.get("BASE_URL", "").rstrip("/")
KEY = _settings.get("KEY", "")
HEADERS = json.loads(_settings.get("HEADERS") or "{}")  # that the layer wants besides, as a JSON object of texts
if not BASE:
    sys.exit("PRESERVECHECK_CLIENT_BASE_URL is not set")  # An SDK would ask the real provider.

_tally = contextvars.ContextVar("tally")  # whose request it is: calls overlap


class InvalidCall(Exception):
    pass


class Counted:
    """Mixed into an HTTP client, counts each call's requests and the milliseconds between an answer and the next request."""

    async def send(self, request, **kwargs):
        tally = _tally.get()
        if tally["requests"]:
            tally["waits_ms"].append(round((time.monotonic() - tally["answered"]) * 1000))
        tally["requests"] += 1
        try:
            return await super().send(request, **kwargs)
        finally:
            tally["answered"] = time.monotonic()


def _words(value):
    if value is None or isinstance(value, str):
        return value
    try:
        return json.dumps(value, default=str)
    except (TypeError, ValueError):
        return f"a {type(value).__name__} without words"  # such as one that holds itself


def _failure(error, show):
    try:
        shown = show(error)
    except Exception as odd:
        print("an exception that the driver cannot read:", repr(odd), file=sys.stderr)
        shown = {}
    status = shown.get("status")
    return {
        "outcome": "error",
        "exception": type(error).__name__,
        "status": status if isinstance(status, int) else None,
        "type": _words(shown.get("type")),
        "code": _words(shown.get("code")),
        "message": _words(shown.get("message")) or str(error),
        "retry_after": _words(shown.get("retry_after")),
    }


def _read(line):
    """Returns the call, and what is wrong with it or None."""
    try:
        call = json.loads(line)
    except ValueError:  # of UTF-8, too
        return {}, "not a line of JSON"
    if not isinstance(call, dict) or not isinstance(call.get("id"), str):
        return {"id": _words(call.get("id")) or ""} if isinstance(call, dict) else {}, "id is not a string"
    retries = call.get("max_retries")
    if not isinstance(call.get("model"), str) or not isinstance(call.get("prompt"), str):
        return call, "model or prompt is not a string"
    if not isinstance(retries, int) or isinstance(retries, bool) or retries < 0:
        return call, "max_retries is not a number of retries"
    if not isinstance(call.get("stream", False), bool):
        return call, "stream is not true or false"
    return call, None


_EMPTY = dict.fromkeys(("id", "outcome", "exception", "status", "type", "code", "message", "retry_after", "text"))


async def _answer(line, call, show):
    tally = {"requests": 0, "waits_ms": []}
    _tally.set(tally)
    asked, wrong = _read(line)
    try:
        if wrong:
            raise InvalidCall(wrong)
        text = await call(asked["model"], asked["prompt"], asked["max_retries"], asked.get("stream", False))
        outcome = {"outcome": "ok", "text": _words(text) or ""}
    except BaseException as error:  # Cancelled, too: each call has its line.
        outcome = _failure(error, show)
    tally.pop("answered", None)
    _out.write(json.dumps({**_EMPTY, "id": asked.get("id", ""), **outcome, **tally}) + "\n")
    _out.flush()


async def _serve(call, show):
    if "PROMPT" in _settings:
        one = {"id": "", "model": _settings.get("MODEL"), "prompt": _settings["PROMPT"], "stream": _settings.get("STREAM") == "1"}
        if _settings.get("MAX_RETRIES", "").isdecimal():
            one["max_retries"] = int(_settings["MAX_RETRIES"])
        return await _answer(json.dumps(one), call, show)
    going = set()
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        if line.strip():
            task = asyncio.create_task(_answer(line, call, show))
            going.add(task)
            task.add_done_callback(going.discard)
    if going:
        await asyncio.wait(going)


def serve(call, show):
    """Runs the driver: call makes one call and returns the reply's text, show reads an SDK's exception."""
    try:
        asyncio.run(_serve(call, show))
    except BrokenPipeError:  # nobody reads any more
        sys.exit(1)
