//! What stands around an engine: its [`Container`], and the [`Route`]s of a gateway. Types only.

use std::collections::BTreeMap;
use std::ops::Range;

use super::setting::Placed;

/// A published port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// The host's, where it is fixed.
    pub host: Option<u16>,
    /// The container's.
    pub container: u16,
    /// Where.
    pub span: Range<usize>,
}

/// A health check, times in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Health {
    /// The command.
    pub test: Placed,
    /// Between two tries; the engine's default is 30.
    pub interval: f64,
    /// Tries; the default is 3.
    pub retries: f64,
    /// Grace at the start; the default is 0.
    pub start_period: f64,
    /// The whole mapping.
    pub span: Range<usize>,
}

/// Reserved GPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gpus {
    /// How many; `None` for all.
    pub count: Option<usize>,
    /// Both `count` and `device_ids` are given.
    pub twice: bool,
    /// Where.
    pub span: Range<usize>,
}

/// What runs the engine in a container.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Container {
    /// The image with its tag.
    pub image: Option<Placed>,
    /// The Compose service.
    pub service: Option<Placed>,
    /// `container_name`, `--name`.
    pub name: Option<Placed>,
    /// Published ports.
    pub ports: Vec<Port>,
    /// It shares the host's network.
    pub host_network: bool,
    /// The health check.
    pub health: Option<Health>,
    /// The reserved GPUs, where said.
    pub gpus: Option<Gpus>,
    /// The entrypoint is given beside the command.
    pub entrypoint: Option<Placed>,
    /// Variables of the file's other services: what they call the engine by.
    pub neighbours: Vec<(Placed, Placed)>,
}

/// One backend of a LiteLLM configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// The name clients send.
    pub model_name: Placed,
    /// `litellm_params` by key.
    pub params: BTreeMap<String, Placed>,
}
