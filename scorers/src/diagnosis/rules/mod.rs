//! The rules of an attempt, one a file, in order of precedence: what explains most comes first.

use super::Rule;

macro_rules! rules {
    ($($name:ident),* $(,)?) => {
        $(mod $name;)*
        /// Every rule of an attempt, the most telling first. A test walks it.
        pub static RULES: &[&Rule] = &[$(&$name::RULE),*];
    };
}

rules![
    auto_tool_choice_missing,
    stream_only,
    empty_stream,
    context_overflow,
    template,
    arguments_misread,
    bad_args,
    profile_conflict,
    wrong_model_name,
    unauthorised,
    rate_limited,
    multimodal_limit,
    schema_refused,
    unsupported_parameter,
    unreachable_or_loading,
    wrong_path,
    server_error,
    bad_request,
    tool_choice_ignored,
    schema_forbids_calls,
    tools_not_sent,
    odd_call_shape,
    tool_call_id,
    harmony_markers_in_call,
    double_encoded_args,
    unneeded_reasoning_parser,
    wrong_tool_parser,
    no_tool_parser,
    wrong_reasoning_parser,
    no_reasoning_parser,
    window_exhausted,
    reasoning_truncated,
    stopped_in_thoughts,
    reasoning_frame_in_text,
    deltas_repeated,
    characters_broken,
    harmony_markers_in_text,
    turn_markers_in_text,
    degenerate_text,
    finish_reason,
    structured_output_ignored,
    model_fault,
    content_duplicates_call,
    content_duplicates_reasoning,
    gateway_rewrite,
    server_dropped_output,
    stream_damaged,
    stream_not_ended,
    parameter_ignored,
];
