//! Three layers that are taken for one another: weight quantisation, compute type and KV cache type.

use super::subject::Subject;
use super::{ProfileRule, rule};
use crate::diagnostic::Diagnostic;
use crate::profile::setting::Placed;

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule(
        "kv_dtype_as_weight_quantisation",
        "the KV cache's type is taken for the weights' quantisation",
        kv_as_weights,
    ),
    rule(
        "quantization_against_checkpoint",
        "another quantisation is asked for than the checkpoint's name says",
        against_checkpoint,
    ),
    rule("unknown_kv_dtype", "the engine's version has no such KV cache type", unknown_kv),
];

/// How weights are quantised, by the words in names, and the `--quantization` values that go with them.
const WEIGHTS: &[(&str, &[&str])] = &[
    ("awq", &["awq", "awq_marlin", "ipex", "moe_wna16", "compressed-tensors"]),
    (
        "gptq",
        &["gptq", "gptq_marlin", "gptq_bitblas", "marlin", "ipex", "moe_wna16", "auto-round", "compressed-tensors"],
    ),
    (
        "nvfp4",
        &["modelopt", "modelopt_fp4", "modelopt_mixed", "compressed-tensors", "nvfp4", "petit_nvfp4", "quark", "fp4"],
    ),
    ("mxfp4", &["mxfp4", "quark", "compressed-tensors", "fp4", "gpt_oss_mxfp4"]),
    (
        "fp8",
        &[
            "fp8",
            "compressed-tensors",
            "modelopt",
            "modelopt_fp8",
            "fbgemm_fp8",
            "quark",
            "ptpc_fp8",
            "w8a8_fp8",
            "deepspeedfp",
        ],
    ),
    ("int4", &["compressed-tensors", "awq", "awq_marlin", "gptq", "gptq_marlin", "auto-round", "torchao"]),
    ("int8", &["compressed-tensors", "gptq", "gptq_marlin", "w8a8_int8", "bitsandbytes", "torchao", "experts_int8"]),
    ("bnb", &["bitsandbytes"]),
    ("gguf", &["gguf"]),
];

/// The quantisation a name speaks of.
pub(in crate::profile) fn weights_of(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    WEIGHTS.iter().map(|(word, _)| *word).find(|word| {
        name.match_indices(word).any(|(at, _)| {
            let before = name[..at].chars().next_back();
            before.is_none_or(|c| !c.is_alphanumeric())
        })
    })
}

fn kv_as_weights(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let rule = "kv_dtype_as_weight_quantisation";
    if let Some(kv) = s.profile.get("kv-cache-dtype")
        && s.engine != "llama_cpp"
        && matches!(
            kv.value.as_str(),
            "awq"
                | "gptq"
                | "gguf"
                | "mxfp4"
                | "bnb"
                | "bitsandbytes"
                | "modelopt"
                | "compressed-tensors"
                | "int4"
                | "int8"
        )
    {
        let message = format!("`{}` quantises weights; this is the type of the KV cache", kv.value);
        out.push(
            s.error(rule, kv.span.clone(), message)
                .fix("the checkpoint carries the weights' quantisation; here auto, fp8 or a 16-bit type"),
        );
    }
    if let Some(weights) = s
        .profile
        .get("quantization")
        .filter(|q| matches!(q.value.as_str(), "fp8_e4m3" | "fp8_e5m2" | "auto" | "fp8_inc" | "bfloat16" | "float16"))
    {
        let message = format!("`{}` is a KV cache or compute type; this quantises weights", weights.value);
        out.push(
            s.error(rule, weights.span.clone(), message)
                .fix("--kv-cache-dtype for the cache, --dtype for the computation"),
        );
    }
    out.extend(claimed(s));
}

/// The profile's name claims a quantisation that only the KV cache has.
fn claimed(s: &Subject<'_>) -> Option<Diagnostic> {
    let kv = s.profile.get("kv-cache-dtype")?;
    let kv_word = ["nvfp4", "fp8", "int8", "int4"].into_iter().find(|word| kv.value.starts_with(word))?;
    let model = s.profile.model()?;
    if s.profile.get("quantization").is_some() || weights_of(&model.text) == Some(kv_word) {
        return None;
    }
    let served = s
        .profile
        .get("served-model-name")
        .map(|setting| Placed::new(setting.value.clone(), setting.value_span.clone()));
    let name =
        [s.profile.name.clone(), served].into_iter().flatten().find(|name| weights_of(&name.text) == Some(kv_word))?;
    let actual = weights_of(&model.text).unwrap_or("unquantised");
    let message = format!(
        "`{}` claims {kv_word} weights, but they are {actual} (`{}`): only the KV cache is {kv_word}",
        name.text, model.text
    );
    Some(
        s.warning("kv_dtype_as_weight_quantisation", name.span, message)
            .related(kv.span.clone(), "the KV cache's type")
            .fix("name the weights' quantisation, and the cache's apart: …-bf16-kvfp8"),
    )
}

fn against_checkpoint(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(setting) = s.profile.get("quantization").filter(|_| matches!(s.engine, "vllm" | "sglang")) else { return };
    let Some(model) = s.profile.model() else { return };
    let said = setting.value.to_lowercase();
    let Some((word, fitting)) = weights_of(&model.text).and_then(|word| WEIGHTS.iter().find(|(name, _)| *name == word))
    else {
        return;
    };
    let other = WEIGHTS.iter().any(|(name, values)| name != word && (*name == said || values.contains(&said.as_str())));
    if other && !fitting.contains(&said.as_str()) {
        let message = format!(
            "`{}` is a {word} checkpoint by its name, but --quantization says `{said}`: the engine refuses",
            model.text
        );
        out.push(
            s.error("quantization_against_checkpoint", setting.span.clone(), message)
                .fix("drop it: the checkpoint says how it is quantised"),
        );
    }
}

/// vLLM's KV cache types: in 0.10.2, and those that 0.33.0 adds (config/cache.py).
const KV_OLD: &[&str] = &["auto", "fp8", "fp8_e4m3", "fp8_e5m2", "fp8_inc"];
const KV_NEW: &[&str] = &[
    "float16",
    "bfloat16",
    "fp8_ds_mla",
    "nvfp4",
    "nvfp4_4over6",
    "nvfp4_ds_mla",
    "int4_per_token_head",
    "int8_per_token_head",
    "fp8_per_token_head",
    "ultraquant_4bit",
];

fn unknown_kv(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(kv) = s.profile.get("kv-cache-dtype").filter(|kv| s.engine == "vllm" && !kv.value.starts_with('$')) else {
        return;
    };
    let value = kv.value.as_str();
    let new = KV_NEW.contains(&value) || value.starts_with("turboquant_") || value.starts_with("octave_");
    let old = KV_OLD.contains(&value);
    if out.iter().any(|found| found.span.as_ref() == Some(&kv.span)) || old {
        return;
    }
    if new && s.before("0.10.3") != Some(true) {
        return;
    }
    let known: Vec<&str> = KV_OLD
        .iter()
        .chain(KV_NEW)
        .copied()
        .filter(|name| s.before("0.10.3") != Some(true) || KV_OLD.contains(name))
        .collect();
    let message = format!("{} has no KV cache type `{value}`", s.engine_title());
    let fix = crate::diagnostic::did_you_mean(value, known.iter().copied())
        .unwrap_or_else(|| format!("one of {}", known.join(", ")));
    out.push(s.error("unknown_kv_dtype", kv.span.clone(), message).fix(fix));
}
