//! The only module that knows the network.
//!
//! [`Client`] sends bytes and keeps what comes back as an [`Exchange`](monban_scorers::Exchange); it interprets nothing.

mod base_url;
mod client;
mod collect;
pub mod harness;
pub mod identify;
mod redact;
mod sse;
mod transport;

pub use base_url::{BaseUrl, BaseUrlError};
pub use client::{Client, ClientError, ClientOptions};
pub use redact::Secret;
pub use sse::Cutter;
