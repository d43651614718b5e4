//! Counters of `/metrics`: whose they are, and how often vLLM's tool parser ran ([`parser_runs`]). Pure.

use std::collections::BTreeMap;

/// vLLM 0.24.0 and later; absent in 0.23.0.
const RUNS: &str = "vllm:tool_call_parser_invocations_total";

/// How often vLLM's tool parser ran, by outcome (`tool_call`, `no_tool_call`); empty where the counter is not there.
#[must_use]
pub fn parser_runs(metrics: &str) -> BTreeMap<String, u64> {
    let mut runs = BTreeMap::new();
    for line in metrics.lines().filter(|line| line.starts_with(RUNS)).take(1000) {
        let Some((labels, value)) = line.rsplit_once(' ') else { continue };
        let outcome = labels.split_once("outcome=\"").and_then(|(_, rest)| rest.split_once('"'));
        if let (Some((outcome, _)), Ok(value)) = (outcome, value.trim().parse::<f64>()) {
            // Counters are whole numbers written as floats.
            *runs.entry(outcome.chars().take(40).collect()).or_insert(0) += value.max(0.0) as u64;
        }
    }
    runs
}

/// Whose names the metrics have.
pub(super) fn engine(metrics: &str) -> Option<&'static str> {
    const NAMES: &[(&str, &str)] = &[
        ("vllm:", "vllm"),
        ("sglang:", "sglang"),
        ("llamacpp:", "llama_cpp"),
        ("trtllm_", "tensorrt_llm"),
        ("atlas_", "atlas"),
    ];
    let lines = || metrics.lines().filter(|line| !line.starts_with('#'));
    NAMES.iter().find(|(prefix, _)| lines().any(|line| line.starts_with(prefix))).map(|(_, engine)| *engine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_summed_by_outcome() {
        let text = "# TYPE vllm:tool_call_parser_invocations_total counter\n\
            vllm:tool_call_parser_invocations_total{mode=\"auto\",outcome=\"no_tool_call\",request_type=\"chat\"} 2.0\n\
            vllm:tool_call_parser_invocations_total{mode=\"auto\",outcome=\"no_tool_call\",request_type=\"stream\"} 3.0\n\
            vllm:tool_call_parser_invocations_total{mode=\"auto\",outcome=\"tool_call\",request_type=\"chat\"} 1.0\n";
        let runs = parser_runs(text);
        assert_eq!((runs.get("no_tool_call"), runs.get("tool_call")), (Some(&5), Some(&1)));
        assert_eq!(engine(text), Some("vllm"));
        assert_eq!(engine("# HELP vllm:x y\nprocess_cpu_seconds_total 1"), None);
    }
}
