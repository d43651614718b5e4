"""Makes a model folder that vLLM loads with --load-format dummy: a tiny Qwen3 with a tokenizer of its own, trained here."""
import json
import pathlib
import sys

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

HERE = pathlib.Path(__file__).resolve().parent
MARKUP = ["<think>", "</think>", "<tool_call>", "</tool_call>"]


def main(folder):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=2048, special_tokens=["<|im_start|>", "<|im_end|>"],
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    suites = sorted((HERE / "../../suites").glob("*.toml"))
    tokenizer.train_from_iterator([suite.read_text(encoding="utf-8") for suite in suites], trainer)
    tokenizer.add_tokens([AddedToken(text, special=False, normalized=False) for text in MARKUP])
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<|im_start|>", eos_token="<|im_end|>")
    wrapped.chat_template = (HERE / "template.jinja").read_text(encoding="utf-8")
    wrapped.save_pretrained(folder)
    config = {"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_size": 64, "intermediate_size": 128,
              "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 64,
              "vocab_size": 2112, "max_position_embeddings": 32768, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
              "tie_word_embeddings": True, "torch_dtype": "bfloat16", "hidden_act": "silu",
              "bos_token_id": wrapped.bos_token_id, "eos_token_id": wrapped.eos_token_id}
    (pathlib.Path(folder) / "config.json").write_text(json.dumps(config))


if __name__ == "__main__":
    main(sys.argv[1])
