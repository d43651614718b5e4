#!/usr/bin/env python3
"""Judge a run's stored answers with a scorer of one's own, in another language: a journal is one JSON object a line.

    python3 examples/external_scorer.py runs/RUN_ID

Prints task, monban's outcome and this scorer's word for each attempt: does the answer read as a full sentence?
"""
import json
import pathlib
import sys


def text_of(exchange):
    """The content of an exchange, plain or streamed; the wire is kept verbatim."""
    body = exchange["body"]
    if body == "none":
        return ""
    if "plain" in body:
        raw = body["plain"]
        try:
            answer = json.loads(raw) if isinstance(raw, str) else {}
        except ValueError:
            return ""
        choices = answer.get("choices") or [{}]
        return (choices[0].get("message") or {}).get("content") or ""
    text = ""
    for piece in body["pieces"]:
        raw = piece["raw"]
        for line in raw.splitlines() if isinstance(raw, str) else []:
            data = line.removeprefix("data:").strip()
            if line.startswith("data:") and data != "[DONE]":
                for choice in json.loads(data).get("choices", []):
                    text += (choice.get("delta") or {}).get("content") or ""
    return text


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    run = pathlib.Path(sys.argv[1])
    tasks = []
    with open(run / "events.jsonl", encoding="utf-8") as journal:
        for line in journal:
            event = json.loads(line)
            if "run_start" in event:
                tasks = event["run_start"]["tasks"]
            done = event.get("attempt_done")
            if not done:
                continue
            texts = [text_of(exchange).strip() for exchange in done["exchanges"]]
            sentence = all(text and text[-1] in ".!?。！？" for text in texts)
            task = tasks[done["task"]]["id"]
            print(f"{task}\t{done['outcome']}\t{'sentence' if sentence else 'no sentence'}")


if __name__ == "__main__":
    main()
