//! What an image runs against what its command says.

use super::subject::Subject;
use super::{ProfileRule, rule};
use crate::diagnostic::Diagnostic;
use crate::profile::model::{Container, Form, Placed};

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[rule(
    "image_entrypoint_mismatch",
    "the command does not continue what the image's entrypoint of that version begins",
    mismatch,
)];

/// The first vLLM image whose entrypoint is `vllm serve` instead of the API server's module.
const SERVES_FROM: &str = "0.12.0";

fn mismatch(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(container) = s.profile.container.as_ref().filter(|container| container.entrypoint.is_none()) else {
        return;
    };
    let Some(image) = container.image.as_ref() else { return };
    let name = image.text.split([':', '@']).next().unwrap_or_default();
    let found = match s.engine {
        "vllm" if name.ends_with("vllm-openai") => vllm(s, container),
        "sglang" if name.ends_with("lmsysorg/sglang") => bare(s, container, "python3 -m sglang.launch_server"),
        "tensorrt_llm" if name.contains("nvcr.io") => bare(s, container, "trtllm-serve"),
        "llama_cpp" if image.text.contains(":server") => repeated(s, container, "llama-server"),
        _ => None,
    };
    out.extend(found);
}

fn vllm(s: &Subject<'_>, container: &Container) -> Option<crate::diagnostic::Diagnostic> {
    let entry = if s.before(SERVES_FROM) == Some(true) {
        "python3 -m vllm.entrypoints.openai.api_server"
    } else {
        "vllm serve"
    };
    if container.command_program.is_some() {
        // In Kubernetes `command` replaces the entrypoint, and then there is none to repeat.
        return repeated(s, container, entry);
    }
    let model = s.profile.get("model").filter(|model| model.name.is_empty() && s.before(SERVES_FROM) == Some(true))?;
    let message = format!("up to 0.11 the image's entrypoint is `{entry}`, which takes no model without --model");
    Some(s.error("image_entrypoint_mismatch", model.span.clone(), message).fix(format!("--model {}", model.value)))
}

/// The command names the program that the entrypoint already is.
fn repeated(s: &Subject<'_>, container: &Container, entry: &str) -> Option<Diagnostic> {
    let program: &Placed = container.command_program.as_ref()?;
    let message = format!("the image's entrypoint is `{entry}` already: `{}` becomes its argument", program.text);
    let found = s.error("image_entrypoint_mismatch", program.span.clone(), message);
    Some(found.fix("begin with the arguments, or replace the entrypoint"))
}

/// The image has no server as its entrypoint, and the command names none.
fn bare(s: &Subject<'_>, container: &Container, program: &str) -> Option<Diagnostic> {
    if container.command_program.is_some() || s.profile.settings.is_empty() {
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
