#!/usr/bin/env python3
"""Score a genuine llama.cpp server with monban and check what must hold whatever the small model answers.

Needs the wheels of run.sh. Nothing is asserted on the quality of the answers.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent


class Server:
    """server.py in its own process, on a port the system picks."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "server.py"), "--seconds", "900", *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if line.startswith("ready "):
                self.url = line.split()[1] + "/v1"
                return
        raise SystemExit("the server did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def prompt_tokens(self, **extra):
        body = {"model": "smollm2-135m", "max_tokens": 1,
                "messages": [{"role": "user", "content": "What is the weather in Tokyo?"}], **extra}
        request = urllib.request.Request(self.url + "/chat/completions", json.dumps(body).encode(),
                                         {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["usage"]["prompt_tokens"]


def check(holds, what):
    print(("ok   " if holds else "FAIL ") + what, flush=True)
    if not holds:
        check.failed = True


check.failed = False
TOOL = {"type": "function", "function": {"name": "get_weather", "description": "Current weather for a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}


def monban(options, *arguments):
    done = subprocess.run([options.monban, *arguments], capture_output=True, text=True, timeout=600)
    if done.stderr and options.verbose:
        sys.stderr.write(done.stderr)
    return done


def smoke(options, server, runs):
    done = monban(options, "run", "smoke", "--base-url", server.url, "--model", "smollm2-135m", "--stream", "both",
                  "--concurrency", "1", "--environment", "ci", "--runs-dir", runs, "--max-tokens", "160", "--format", "json")
    try:
        run = json.loads(done.stdout)
    except ValueError:
        raise SystemExit(f"no JSON (exit {done.returncode}): {done.stdout[:500]}\n{done.stderr[-2000:]}")
    counts, attempts = run["counts"], [attempt for task in run["tasks"] for attempt in task["attempts"]]
    check(done.returncode == run["exit_code"], f"the exit code is the report's: {done.returncode}")
    check(run["environment"] == "real:ci" and run["endpoint"]["engine"] == "llama_cpp", "the engine is recognised as llama.cpp")
    check(counts["error"] == 0 and counts["skipped"] == 0, f"every attempt got an answer: {counts}")
    check(len(attempts) == counts["attempts"] == counts["tasks"], "one attempt a task, each in the report")
    exchanges = [exchange for attempt in attempts for exchange in attempt["exchanges"]]
    check(len(exchanges) == 2 * len(attempts), "streamed and plain, both recorded")
    check(all(exchange["prompt_tokens"] and exchange["completion_tokens"] is not None for exchange in exchanges), "tokens are recorded")
    streamed = [exchange for exchange in exchanges if exchange["streamed"] and exchange["ttft_ms"]]
    check(bool(streamed) and all(0 < exchange["ttft_ms"] <= exchange["latency_ms"] for exchange in streamed), "TTFT lies within the latency")
    schema = [task for task in run["tasks"] if task["id"].startswith("json-schema")]
    check(bool(schema) and all(attempt["outcome"] == "passed" for task in schema for attempt in task["attempts"]),
          "the JSON schema tasks are green under response_format")
    return run


def parity(runs, run_id):
    """Streamed and plain text of whole answers are the same at temperature 0."""
    same = different = 0
    with open(pathlib.Path(runs) / run_id / "events.jsonl", encoding="utf-8") as journal:
        for line in journal:
            done = json.loads(line).get("attempt_done")
            if not done or len(done["exchanges"]) != 2:
                continue
            texts = [text_of(exchange) for exchange in done["exchanges"]]
            # Long runs of a tiny model part ways over the server's prompt cache; whole answers are short.
            if done["outcome"] == "truncated":
                continue
            if texts[0] == texts[1]:
                same += 1
            else:
                different += 1
    check(same > 0 and different == 0, f"streamed and plain text agree at temperature 0: {same} of {same + different}")


def text_of(exchange):
    body = exchange["body"]
    if "plain" in body:
        return json.loads(body["plain"])["choices"][0]["message"].get("content") or ""
    text = ""
    for piece in body["pieces"]:
        for line in piece["raw"].splitlines():
            data = line.removeprefix("data:").strip()
            if line.startswith("data:") and data != "[DONE]":
                for choice in json.loads(data).get("choices", []):
                    text += choice["delta"].get("content") or ""
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--monban", required=True)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as runs:
        with Server() as server:
            check(server.prompt_tokens() == server.prompt_tokens(tools=[TOOL]), "the model's own template ignores tools")
            run = smoke(options, server, runs)
            parity(runs, run["run_id"])
            table = monban(options, "report", run["run_id"], "--runs-dir", runs)
            check(table.returncode == 0 and run["run_id"] in table.stdout, "the table can be printed again")
            print(table.stdout)
            doctor = monban(options, "doctor", "--base-url", server.url, "--model", "smollm2-135m", "--format", "json")
            rules = [finding["rule"] for finding in json.loads(doctor.stdout)["findings"]]
            check("template" in rules, f"doctor finds that the template ignores tools: {rules}")
        with Server("--template", str(HERE / "tools.jinja")) as server:
            check(server.prompt_tokens() < server.prompt_tokens(tools=[TOOL]), "another template renders tools")
            doctor = monban(options, "doctor", "--base-url", server.url, "--model", "smollm2-135m", "--format", "json")
            rules = [finding["rule"] for finding in json.loads(doctor.stdout)["findings"]]
            check("template" not in rules, f"doctor does not blame a template that renders tools: {rules}")
    sys.exit(1 if check.failed else 0)


if __name__ == "__main__":
    main()
