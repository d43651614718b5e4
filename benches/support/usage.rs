//! What a child process used: CPU from `/proc/self/stat` (children that were waited for), peak memory while it lives.

use std::process::Command;
use std::time::Duration;

/// Kernel ticks a second: `USER_HZ` is 100 on every Linux.
const TICK_US: f64 = 10_000.0;

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

/// `cutime` + `cstime`: fields 16 and 17 of proc(5), counted behind the name, which may hold spaces.
fn children_us() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks = |at: usize| fields[at].parse::<f64>().unwrap();
    (ticks(13) + ticks(14)) * TICK_US
}

fn high_water(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
