//! What an image runs against what its command says.

use super::subject::Subject;
use super::{ProfileRule, rule};
use crate::diagnostic::Diagnostic;
use crate::profile::model::Form;
use crate::profile::setting::Placed;

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule(
        "image_entrypoint_mismatch",
        "the command does not continue what the image's entrypoint of that version begins",
        mismatch,
    ),
    rule("model_not_positional", "the program takes the model in another place", model_place),
];

/// The first vLLM image whose entrypoint is `vllm serve` instead of the API server's module.
const SERVES_FROM: &str = "0.12.0";

fn mismatch(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(container) = s.profile.container.as_ref().filter(|container| container.entrypoint.is_none()) else {
        return;
    };
    let Some(image) = container.image.as_ref() else { return };
    let name = image.text.split([':', '@']).next().unwrap_or_default();
    let found = match s.engine {
        "vllm" if name.ends_with("vllm-openai") => vllm(s),
        "sglang" if name.ends_with("lmsysorg/sglang") => bare(s, "python3 -m sglang.launch_server"),
        "tensorrt_llm" if name.contains("nvcr.io") => bare(s, "trtllm-serve"),
        "llama_cpp" if image.text.contains(":server") => repeated(s, "llama-server"),
        _ => None,
    };
    out.extend(found);
}

fn vllm(s: &Subject<'_>) -> Option<Diagnostic> {
    let entry = if s.before(SERVES_FROM) == Some(true) {
        "python3 -m vllm.entrypoints.openai.api_server"
    } else {
        "vllm serve"
    };
    if s.profile.program.is_some() {
        // In Kubernetes `command` replaces the entrypoint, and then there is none to repeat.
        return repeated(s, entry);
    }
    let model = s.profile.get("model").filter(|model| model.name.is_empty() && s.before(SERVES_FROM) == Some(true))?;
    let message = format!("up to 0.11 the image's entrypoint is `{entry}`, which takes no model without --model");
    Some(s.error("image_entrypoint_mismatch", model.span.clone(), message).fix(format!("--model {}", model.value)))
}

/// Whether the model is given where the program looks for it.
fn model_place(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let (Some(program), Some(model)) = (&s.profile.program, s.profile.get("model")) else { return };
    let serve = program.text.ends_with("serve");
    let rule = "model_not_positional";
    // vLLM's own check at start (utils/argparse_utils.py).
    if s.engine == "vllm"
        && serve
        && !model.name.is_empty()
        && s.profile.get("config").is_none()
        && s.profile.get("served-model-name").is_some()
    {
        let message = "`vllm serve` wants the model as its first argument when a served name is given";
        out.push(s.error(rule, model.span.clone(), message).fix(format!("vllm serve {} …", model.value)));
    }
    let module = program.text.contains("api_server") || program.text.contains("launch_server");
    if module && model.name.is_empty() {
        let message = format!("`{}` takes no model without its flag: it does not start", program.text);
        let flag = if s.engine == "sglang" { "--model-path" } else { "--model" };
        out.push(s.error(rule, model.span.clone(), message).fix(format!("{flag} {}", model.value)));
    }
}

/// The command names the program that the entrypoint already is.
fn repeated(s: &Subject<'_>, entry: &str) -> Option<Diagnostic> {
    let program: &Placed = s.profile.program.as_ref()?;
    let message = format!("the image's entrypoint is `{entry}` already: `{}` becomes its argument", program.text);
    let found = s.error("image_entrypoint_mismatch", program.span.clone(), message);
    Some(found.fix("begin with the arguments, or replace the entrypoint"))
}

/// The image has no server as its entrypoint, and the command names none.
fn bare(s: &Subject<'_>, program: &str) -> Option<Diagnostic> {
    if s.profile.program.is_some() || s.profile.settings.is_empty() {
        return None;
    }
    let span = match s.profile.form {
        Form::Kubernetes | Form::Compose | Form::Command => {
            s.profile.settings.first().map(|setting| setting.span.clone())?
        }
        _ => return None,
    };
    let message = format!("the image starts no server by itself: the command must begin with `{program}`");
    Some(s.error("image_entrypoint_mismatch", span, message).fix(format!("{program} …")))
}
