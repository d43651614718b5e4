#!/usr/bin/env bash
# SGLang listens on 127.0.0.1 unless told otherwise: right on a workstation, wrong in a container.
CUDA_VISIBLE_DEVICES=0,1 python3 -m sglang.launch_server \
  --model-path Qwen/Qwen3.6-27B-FP8 \
  --served-model-name Qwen3.6-27B-FP8 \
  --port 30000 \
  --tp-size 2 \
  --context-length 131072 \
  --mem-fraction-static 0.85 \
  --max-running-requests 16 \
  --tool-call-parser qwen3_coder \
  --reasoning-parser qwen3 \
  --enable-metrics
