//! What a child process used: CPU from getrusage(2) (children that were waited for), peak memory while it lives.

use std::process::Command;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

/// What one process used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// User and system time, microseconds.
    pub(crate) cpu_us: f64,
    /// Peak resident memory, MiB.
    pub(crate) peak_mib: f64,
}

/// Runs a command to its end.
pub(crate) fn measured(command: &mut Command) -> Usage {
    let before = children_us();
    let mut child = command.spawn().unwrap();
    let mut peak_mib = 0.0_f64;
    while child.try_wait().unwrap().is_none() {
        peak_mib = peak_mib.max(high_water(child.id()));
        std::thread::sleep(Duration::from_millis(2));
    }
    Usage { cpu_us: children_us() - before, peak_mib }
}

fn children_us() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64
}

fn high_water(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
