"""Reads what we answer with the models of Anthropic's SDK, which normally let everything pass:
here an unknown member, a missing one or one of the wrong type is an error. Prints a list of
{"name", "failure"}."""

import json
import sys
import urllib.error
import urllib.request

from anthropic import types
from pydantic import TypeAdapter, ValidationError

BASE, KEY, MODEL = sys.argv[1:4]
TOOL = {
    "name": "get_weather",
    "description": "The weather of a town",
    "input_schema": {
        "type": "object",
        "properties": {"town": {"type": "string"}},
        "required": ["town"],
    },
}
ASK = {
    "model": MODEL,
    "max_tokens": 2000,
    "messages": [{"role": "user", "content": "Habari ya Mwanza?"}],
}
TOOLS = {**ASK, "tools": [TOOL], "tool_choice": {"type": "any"}}
THINKING = {**ASK, "max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 2000}}
COUNT = {"model": MODEL, "messages": ASK["messages"]}
AGAIN = {
    **TOOLS,
    "tool_choice": {"type": "auto"},
    "messages": [
        *ASK["messages"],
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"town": "Mwanza"}}
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "27 C"}],
        },
    ],
}

CALLS = [
    ("message", types.Message, "/v1/messages", ASK),
    ("message, tools", types.Message, "/v1/messages", TOOLS),
    ("message, tool result", types.Message, "/v1/messages", AGAIN),
    ("message, thinking", types.Message, "/v1/messages", THINKING),
    ("message, cut", types.Message, "/v1/messages", {**ASK, "max_tokens": 2}),
    ("stream", types.RawMessageStreamEvent, "/v1/messages", {**ASK, "stream": True}),
    ("stream, tools", types.RawMessageStreamEvent, "/v1/messages", {**TOOLS, "stream": True}),
    ("stream, thinking", types.RawMessageStreamEvent, "/v1/messages", {**THINKING, "stream": True}),
    ("count of tokens", types.MessageTokensCount, "/v1/messages/count_tokens", COUNT),
    ("a model", types.ModelInfo, "/v1/models/" + MODEL, None),
    ("error: no messages", types.ErrorResponse, "/v1/messages", {"model": MODEL, "max_tokens": 9}),
    ("error: unknown model", types.ErrorResponse, "/v1/messages", {**ASK, "model": "no/such"}),
]


def ask(path, body):
    headers = {
        "x-api-key": KEY,
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
    }
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(BASE + path, data, headers)) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


def documents(path, body):
    text = ask(path, body)
    if body is None or not body.get("stream"):
        return [json.loads(text)]
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    sent = [json.loads(line) for line in lines]
    return [one for one in sent if one.get("type") != "ping"]


def check(model, path, body):
    """The SDK drops pings before its models see them."""
    found = documents(path, body)
    if not found:
        return "no events"
    for document in found:
        try:
            TypeAdapter(model).validate_python(document, extra="forbid")
        except ValidationError as error:
            return short(document, error)


def short(document, error):
    """Of a choice among types only the complaints of the one that is meant are told."""
    wrong = error.errors()
    others = [one["loc"][:-1] for one in wrong if one["type"] == "literal_error" and one["loc"][-1] == "type"]
    told = [
        ".".join(str(part) for part in one["loc"]) + ": " + one["msg"]
        for one in wrong
        if not any(one["loc"][: len(other)] == other for other in others)
    ]
    return f"{document.get('type')}: " + "; ".join((told or [str(error)])[:8])


results = []
for name, model, path, body in CALLS:
    failure = check(model, path, body)
    results.append({"name": name, **({"failure": failure} if failure else {})})
print(json.dumps(results))
