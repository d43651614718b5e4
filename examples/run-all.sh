#!/usr/bin/env bash
# Runs every example that needs nothing but this machine; examples/llamacpp/run.sh is the one with a genuine server.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo run --quiet -p monban-scorers --example embed
cargo run --quiet -p monban-scorers --example custom_scorer
cargo run --quiet --example run_endpoint

# What embeds alone has no async runtime in its tree.
if cargo tree -p monban-scorers -e normal --prefix none | grep -E '^(tokio|reqwest|hyper) '; then
  echo "monban-scorers must not depend on an async runtime or a client" >&2
  exit 1
fi

runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
cargo build --quiet --bin monban
monban=target/debug/monban
find examples/profiles -type f ! -name "*.md" | sort | while read -r profile; do
  "$monban" profile check "$profile"
done
"$monban" suite check smoke tool-calling coding-agent reasoning

# A run against the simulated endpoint, judged once more by a scorer in Python.
"$monban" harness --tokens-per-second 0 --ttft-ms 0 > "$runs/harness" 2>/dev/null &
harness=$!
trap 'kill "$harness" 2>/dev/null; rm -rf "$runs"' EXIT
until grep -q ready "$runs/harness"; do kill -0 "$harness"; done
base_url=$(awk '/^ready/ { print $2 }' "$runs/harness")
"$monban" run smoke --base-url "$base_url" --runs-dir "$runs/runs"
python3 examples/external_scorer.py "$runs"/runs/*_smoke_*
