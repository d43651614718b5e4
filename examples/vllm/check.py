#!/usr/bin/env python3
"""Hold monban against a genuine vLLM: rightly launched, and with flags that are missing, wrong, and wrong in two places.

Run it with the Python of an environment that has vLLM; see run.sh. The model is scripted (scripted.py), so that it is right
whatever the flags are; each start of vLLM takes from ten seconds to two minutes.
"""
import argparse
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
NAME = "Qwen/Qwen3-8B"
TOOLS, THOUGHTS = ["--enable-auto-tool-choice", "--tool-call-parser"], ["--reasoning-parser"]
RIGHT = {"tool": "--tool-call-parser hermes", "thought": "--reasoning-parser qwen3"}
# Flags; the rules that doctor and `run tool-calling` must find, each with its fix; the exit codes of the two.
CASES = {
    "right": ([*TOOLS, "hermes", *THOUGHTS, "qwen3"], {}, (0, 0)),
    "wrong tool parser": ([*TOOLS, "qwen3_coder", *THOUGHTS, "qwen3"], {"wrong_tool_parser": "tool"}, (3, 3)),
    "no tool parser": ([*THOUGHTS, "qwen3"], {"auto_tool_choice_missing": "tool"}, (3, 4)),
    "no reasoning parser": ([*TOOLS, "hermes"], {"no_reasoning_parser": "thought"}, (3, 3)),
    "two faults": ([*TOOLS, "qwen3_coder"], {"wrong_tool_parser": "tool", "no_reasoning_parser": "thought"}, (3, 3)),
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A process of its own group, ended with it."""

    def __init__(self, command, log, **env):
        self.log = open(log, "w", encoding="utf-8")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True,
                                        env={**os.environ, **env})

    def answers(self, url, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.process.poll() is None:
            try:
                urllib.request.urlopen(url, timeout=5).close()
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.5)
        self.end()
        raise SystemExit(f"{url} did not answer; the end of its log:\n" + pathlib.Path(self.log.name).read_text()[-3000:])

    def end(self):
        for kind in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, kind)
                self.process.wait(timeout=20)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
        self.log.close()


def check(holds, what):
    print(("ok   " if holds else "FAIL ") + what, flush=True)
    check.failed |= not holds


check.failed = False


def monban(options, *arguments):
    done = subprocess.run([options.monban, *arguments, "--format", "json"], capture_output=True, text=True, timeout=600)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        raise SystemExit(f"no JSON (exit {done.returncode}): {done.stdout[:500]}\n{done.stderr[-2000:]}")


def held(what, code, report, wanted, wanted_code):
    """The faults that are there are found with the flag to set, and no other is called an error."""
    found = {finding["rule"]: finding for finding in report["findings"] if finding["severity"] == "error"}
    check(code == wanted_code, f"{what}: exit {code}")
    check(set(found) == set(wanted), f"{what}: {sorted(found) or 'no error'}")
    for rule, flag in wanted.items():
        fixes = found.get(rule, {}).get("fix", [])
        check(any(RIGHT[flag] in fix for fix in fixes), f"{what}: {rule} names `{RIGHT[flag]}`")


def case(options, name, folder, harness):
    flags, wanted, codes = CASES[name]
    port = free_port()
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", folder + "/model", "--served-model-name", NAME,
               "--host", "127.0.0.1", "--port", str(port), "--load-format", "dummy", "--enforce-eager", "--max-num-seqs", "16",
               "--max-model-len", "16384", "--logits-processors", "scripted:Script", "--middleware", "scripted.Middleware", *flags]
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    server = Process(command, f"{folder}/vllm.log", MONBAN_HARNESS=harness, PYTHONPATH=path, HF_HUB_OFFLINE="1",
                     VLLM_NO_USAGE_STATS="1", VLLM_CPU_KVCACHE_SPACE="1", VLLM_CPU_OMP_THREADS_BIND="nobind")
    try:
        server.answers(f"http://127.0.0.1:{port}/health", 300)
        at = ["--base-url", f"http://127.0.0.1:{port}/v1", "--model", NAME]
        code, report = monban(options, "doctor", *at)
        check(report["identity"]["engine"] == "vllm" and bool(report["identity"]["engine_version"]),
              f"{name}: {report['identity']['engine']} {report['identity']['engine_version']}")
        check(report["wall_ms"] < 60_000, f"{name}: doctor took {report['wall_ms'] / 1000:.1f} s")
        held(f"{name}: doctor", code, report, wanted, codes[0])
        code, report = monban(options, "run", "tool-calling", *at, "--stream", "both", "--runs-dir", folder)
        held(f"{name}: run", code, report, wanted, codes[1])
        check(report["counts"]["failed"] == 0, f"{name}: nothing is called the model's fault: {report['counts']}")
    finally:
        server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--monban", required=True)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="all without: " + ", ".join(CASES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(HERE / "model.py"), folder + "/model"], check=True, stdout=subprocess.DEVNULL)
        port = free_port()
        # The harness hands out what the model writes as it is: no parser is at work.
        raw = Process([options.monban, "harness", "--engine", "sglang", "--family", NAME, "--tool-parser", "none",
                       "--reasoning-parser", "none", "--port", str(port), "--ttft-ms", "0", "--tokens-per-second", "0"],
                      folder + "/harness.log")
        try:
            raw.answers(f"http://127.0.0.1:{port}/v1/models", 10)
            for name in options.cases or CASES:
                case(options, name, folder, f"http://127.0.0.1:{port}/v1")
        finally:
            raw.end()
    sys.exit(1 if check.failed else 0)


if __name__ == "__main__":
    main()
