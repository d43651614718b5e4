//! A harness that listens: [`Harness::start`] binds loopback, [`Harness::stop`] (or the drop) ends it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::brain::Brain;
use super::engine::Simulated;
use super::options::Options;
use super::server::serve;

/// A running harness.
#[derive(Debug)]
pub struct Harness {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
}

impl Harness {
    /// Starts one on 127.0.0.1; port 0 lets the system pick.
    ///
    /// # Errors
    /// When the port is taken. Must be called within a tokio runtime.
    pub async fn start(options: Options, brain: Brain, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = watch::channel(false);
        let serving = tokio::spawn(serve(listener, Arc::new(Simulated::new(options, brain)), stopped));
        Ok(Self { address, stop, serving })
    }

    /// Where it listens, with its `/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Stops it, connections included.
    pub async fn stop(self) {
        let _ = self.stop.send(true);
        // A join error is a task that was cancelled with its runtime: it has stopped.
        let _ = self.serving.await;
    }
}
