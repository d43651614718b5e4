#!/usr/bin/env bash
# One slot: the whole context for one request. --jinja is the default since the end of 2025 and harmless to say.
llama-server \
  --hf-repo unsloth/Qwen3.6-27B-GGUF:Q4_K_M \
  --alias Qwen3.6-27B-Q4_K_M \
  --host 127.0.0.1 --port 8080 \
  --ctx-size 65536 --parallel 1 \
  --n-gpu-layers 99 --flash-attn on \
  --cache-type-k q8_0 --cache-type-v q8_0 \
  --jinja --metrics
