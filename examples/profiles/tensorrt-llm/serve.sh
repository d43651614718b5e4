#!/usr/bin/env bash
# What the options file says wins over the command line: each thing is said once.
trtllm-serve Qwen/Qwen3.6-27B-FP8 \
  --host 0.0.0.0 --port 8000 \
  --backend pytorch \
  --tp_size 2 \
  --max_batch_size 16 \
  --max_num_tokens 8192 \
  --max_seq_len 131072 \
  --tool_parser qwen3_coder \
  --reasoning_parser qwen3_5 \
  --config options.yaml
# options.yaml
kv_cache_config:
  free_gpu_memory_fraction: 0.85
  enable_block_reuse: true
guided_decoding_backend: xgrammar
enable_chunked_prefill: true
