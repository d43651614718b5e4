"""Lets a genuine vLLM serve a model that answers rightly: the text comes from `monban harness`, the tokens from vLLM.

`Middleware` (--middleware) asks the harness at MONBAN_HARNESS what a model would write for a request, and hands it on as
`vllm_xargs`. `Script` (--logits-processors) makes those tokens the likely ones. Prompt, grammar, parsers and wire are vLLM's.
"""
import asyncio
import json
import os
import urllib.request

from vllm.v1.sample.logits_processor import LogitsProcessor, MoveDirectionality

OPEN, CLOSE = "<think>", "</think>"
# What is of vLLM's making, and no business of the model's.
NOT_THE_MODELS = ("stream", "stream_options", "max_tokens", "max_completion_tokens", "stop", "n", "logprobs", "top_logprobs")


def ask(body):
    request = urllib.request.Request(os.environ["MONBAN_HARNESS"] + "/chat/completions", json.dumps(body).encode(),
                                     {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)["choices"][0]["message"]


def texts(body):
    """What the model may write, the likeliest first: a grammar decides which of them it can."""
    message = ask({key: value for key, value in body.items() if key not in NOT_THE_MODELS})
    calls = [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in message.get("tool_calls") or []]
    if not calls:
        return in_order(message.get("content") or "", body)
    # A forced call: the same calls, asked for by name, are the model's own markup.
    tools = [{"type": "function", "function": {"name": name, "parameters": {
        "type": "object", "properties": {key: {"enum": [value]} for key, value in arguments.items()}, "required": list(arguments)}}}
        for name, arguments in calls]
    kept = {key: body[key] for key in ("model", "chat_template_kwargs") if key in body}
    said = "Use " + " and ".join(name for name, _ in calls)
    markup = ask({**kept, "messages": [{"role": "user", "content": said}], "tools": tools, "temperature": 0}).get("content") or ""
    thought = markup.partition(CLOSE)[0] + CLOSE + "\n\n" if CLOSE in markup else ""
    return [markup] + [start + form for form in forced(calls) for start in (thought, "")]


def forced(calls):
    """The forms in which vLLM's grammars want a forced call, whatever the model's own format is."""
    name, arguments = calls[0]
    yield "\n".join(f"<tool_call>\n{json.dumps({'name': name, 'arguments': values})}\n</tool_call>" for name, values in calls)
    yield json.dumps([{"name": name, "parameters": values} for name, values in calls])
    yield json.dumps(arguments)
    for name, values in calls[:1]:
        inner = "".join(f"<parameter={key}>\n{value if isinstance(value, str) else json.dumps(value)}\n</parameter>\n"
                        for key, value in values.items())
        yield f"<tool_call>\n<function={name}>\n{inner}</function>\n</tool_call>"


def in_order(text, body):
    """JSON also with its keys in the schema's order, in which a grammar wants them."""
    schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
    try:
        value, end = json.JSONDecoder().raw_decode(text[text.index("{"):])
    except ValueError:
        return [text]
    start = text.index("{")
    return [text[:start] + json.dumps(ordered(value, schema)) + text[start + end:], text] if schema else [text]


def ordered(value, schema):
    known = schema.get("properties", {}) if isinstance(schema, dict) else {}
    if isinstance(value, dict):
        return {key: ordered(value[key], known.get(key)) for key in [*(key for key in known if key in value),
                                                                      *(key for key in value if key not in known)]}
    return value


class Middleware:
    """Adds the text to the body of a chat request; vLLM sees no other difference."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or not scope["path"].endswith("/chat/completions"):
            return await self.app(scope, receive, send)
        data, more = b"", True
        while more:
            part = await receive()
            data, more = data + part.get("body", b""), part.get("more_body", False)
        try:
            body = json.loads(data)
            body["vllm_xargs"] = {"script": json.dumps(await asyncio.to_thread(texts, body))}
            data = json.dumps(body).encode()
        except (ValueError, TypeError, OSError, KeyError):
            pass  # what vLLM refuses, it refuses without a text
        headers = [(key, value) for key, value in scope["headers"] if key.lower() != b"content-length"]
        scope = {**scope, "headers": [*headers, (b"content-length", str(len(data)).encode())]}
        parts = iter([{"type": "http.request", "body": data, "more_body": False}])

        async def replay():
            return next(parts, None) or await receive()

        await self.app(scope, replay, send)


def rest(whole, written):
    """What of `whole` stands behind what was written, white space apart; None where it was not written."""
    at = 0
    for char in written:
        if char.isspace():
            continue
        while at < len(whole) and whole[at].isspace():
            at += 1
        if at >= len(whole) or whole[at] != char:
            return None
        at += 1
    while written[-1:].isspace() and at < len(whole) and whole[at].isspace():
        at += 1
    return whole[at:]


class Script(LogitsProcessor):
    def __init__(self, vllm_config, device, is_pin_memory):
        from transformers import AutoTokenizer
        self.tokenizer = AutoTokenizer.from_pretrained(vllm_config.model_config.tokenizer)
        self.rows = {}

    def is_argmax_invariant(self):
        return False

    def tokens(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False)

    def start(self, params, prompt, written):
        end = self.tokenizer.decode((prompt or [])[-16:]).rstrip()
        said = []
        for text in json.loads((params.extra_args or {}).get("script", '["pong"]')):
            thought, close, answer = text.partition(CLOSE)
            if not close:
                answer = thought
            # The template may have closed the thoughts already. A grammar may forbid them.
            said += [answer.lstrip()] if end.endswith(CLOSE) else [text, answer.lstrip()]
        return [(self.tokens(text), text) for text in dict.fromkeys(said)], written

    def update_state(self, update):
        if update is None:
            return
        for index in update.removed:
            self.rows.pop(index, None)
        for index, params, prompt, written in update.added:
            self.rows[index] = self.start(params, prompt, written)
        for one, other, way in update.moved:
            moved, swapped = self.rows.pop(one, None), self.rows.pop(other, None)
            if moved is not None:
                self.rows[other] = moved
            if way == MoveDirectionality.SWAP and swapped is not None:
                self.rows[one] = swapped

    def apply(self, logits):
        for index, (said, written) in self.rows.items():
            for token, weight in self.weights(said, [token for token in written if token >= 0]).items():
                logits[index, token] += weight
        return logits

    def weights(self, said, written):
        """Of each text that begins as the answer does, the next token; a forbidden one stays forbidden."""
        weights, text = {}, self.tokenizer.decode(written)
        for rank, (tokens, whole) in enumerate(said):
            score = 1000.0 - 20.0 * rank
            exact = tokens[len(written):] if tokens[:len(written)] == written else None
            left = rest(whole, text) if exact is None else self.tokenizer.decode(exact)
            if left is None:
                continue
            options = [exact or self.tokens(left), self.tokens(left.lstrip()), self.tokens(left.lstrip()[:1])] if left else []
            for less, option in enumerate(options):
                if option:
                    weights.setdefault(option[0], score - 5.0 * less)
            if not left:
                weights.setdefault(self.tokenizer.eos_token_id, score)
        return weights or {self.tokenizer.eos_token_id: 500.0}
