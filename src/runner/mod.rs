//! Asks what a plan says and books what comes back.
//!
//! One worker loop; rate, retries, time and stop conditions are values ([`RunOptions`], [`Stop`]). Every event goes
//! through one place, the [`Sink`]: journal, fold, observers. Memory follows the plan and the concurrency, never the
//! number of attempts.

mod ask;
mod book;
mod breaker;
mod judged;
mod options;
mod pace;
mod queue;
mod rejudge;
mod retry;
mod run;
mod silence;
mod sink;
mod stop;

pub use book::{Book, BookError};
pub use judged::attempt_done;
pub use options::RunOptions;
pub use rejudge::{RejudgeError, Stored, rejudge};
pub use retry::RetryPolicy;
pub use run::{Run, run};
pub use sink::{Observer, Sink};
pub use stop::{Level, Stop};
