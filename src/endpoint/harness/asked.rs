//! What a request asks of the answer's shape, whatever the model: how many choices, where to stop.

use serde_json::Value;

use super::wire::Delivered;

/// The most choices of one answer.
const MOST_CHOICES: usize = 128;

/// How many choices are asked for, or why they are refused.
pub(super) fn choices(asked: &Value) -> Result<usize, String> {
    match asked.get("n").filter(|n| !n.is_null()) {
        None => Ok(1),
        Some(n) => {
            let wanted = n.as_u64().and_then(|n| usize::try_from(n).ok());
            wanted
                .filter(|n| (1..=MOST_CHOICES).contains(n))
                .ok_or_else(|| format!("n must be 1 to {MOST_CHOICES}, got {n}"))
        }
    }
}

/// Cuts the text at the first stop sequence of the request.
pub(super) fn stop_at(delivered: &mut Delivered, asked: &Value) {
    let stops: Vec<&str> = match asked.get("stop") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => return,
    };
    for text in [&mut delivered.reasoning, &mut delivered.content].into_iter().flatten() {
        if let Some(at) = stops.iter().filter(|stop| !stop.is_empty()).filter_map(|stop| text.find(stop)).min() {
            text.truncate(at);
            delivered.finish = "stop".into();
        }
    }
}
