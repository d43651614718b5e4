//! [`Pace`]: at most so many requests a second, evenly spaced.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

/// A token bucket of depth one: a request takes the next free slot and waits for it.
#[derive(Debug)]
pub(super) struct Pace {
    gap: Duration,
    next: Mutex<Instant>,
}

impl Pace {
    /// A pace of `rate` a second; `None` where there is no limit.
    pub(super) fn new(rate: Option<f64>) -> Option<Self> {
        let rate = rate.filter(|rate| rate.is_finite() && *rate > 0.0)?;
        let gap = Duration::from_secs_f64((1.0 / rate).min(3600.0));
        Some(Self { gap, next: Mutex::new(Instant::now()) })
    }

    /// Takes the next slot: when it is.
    pub(super) fn slot(&self) -> Instant {
        let mut next = super::sink::lock(&self.next);
        let slot = (*next).max(Instant::now());
        *next = slot + self.gap;
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_a_gap_apart() {
        let pace = Pace::new(Some(100.0)).unwrap();
        let slots: Vec<Instant> = (0..4).map(|_| pace.slot()).collect();
        assert!(slots.windows(2).all(|pair| pair[1] - pair[0] >= Duration::from_millis(10)));
        assert!(Pace::new(Some(0.0)).is_none() && Pace::new(None).is_none());
    }
}
