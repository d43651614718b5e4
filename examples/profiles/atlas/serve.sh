#!/usr/bin/env bash
# Atlas samples with min-p and top-n-sigma unless told otherwise; switched off, its answers compare with other engines'.
spark serve Qwen/Qwen3.6-27B-NVFP4 \
  --model-name Qwen3.6-27B-NVFP4 \
  --port 8888 \
  --max-seq-len 65536 \
  --max-num-seqs 8 \
  --kv-cache-dtype fp8 \
  --gpu-memory-utilization 0.85 \
  --enable-prefix-caching \
  --tool-call-parser qwen3_coder \
  --default-min-p 0 --default-top-n-sigma 0
