//! What the process's exit code means: the constants, and nothing else.
//!
//! Other people's scripts rely on these; they never change their meaning.

/// Everything held.
pub const PASS: u8 = 0;
/// Complete answers, judged wrong (or below `--fail-under`); a `… check` with findings of severity `error`.
pub const FAIL: u8 = 1;
/// Usage, or a suite or profile file that cannot be read as what it claims to be. Nothing was sent.
pub const USAGE: u8 = 2;
/// The red is the server's: see the findings.
pub const MISCONFIGURED: u8 = 3;
/// The endpoint is unreachable, or too little was answered to judge.
pub const INVALID: u8 = 4;
/// Interrupted; the run can be resumed. 128 + SIGINT, as shells have it.
pub const INTERRUPTED: u8 = 130;
