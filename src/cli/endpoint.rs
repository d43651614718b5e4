//! From the command line to an endpoint: the client with its key, the model's name, the runtime.

use std::time::Duration;

use monban_scorers::completion::{self, Answer, FaultKind};
use monban_scorers::{Body, Exchange};
use serde_json::Value;

use super::EndpointArgs;
use crate::endpoint::identify::{Identity, identify};
use crate::endpoint::{BaseUrl, Client, ClientOptions, Secret};
use crate::report::terminal;

/// The longest the endpoint is asked who it is. With the runner's patience, a dead one is known within half a minute.
const DISCOVERY: Duration = Duration::from_secs(8);

/// A client; the key comes from the environment and from nowhere else.
pub(super) fn client(base: BaseUrl, api_key_env: Option<&str>) -> anyhow::Result<Client> {
    client_with(base, api_key_env, ClientOptions::default())
}

/// The same, with options of its own beside the key.
pub(super) fn client_with(base: BaseUrl, api_key_env: Option<&str>, options: ClientOptions) -> anyhow::Result<Client> {
    let api_key = match api_key_env {
        Some(name) => match std::env::var(name) {
            Ok(key) if !key.trim().is_empty() => Some(Secret::new(&key)),
            _ => anyhow::bail!("--api-key-env {name}: this variable is not set"),
        },
        None => None,
    };
    Ok(Client::new(base, &ClientOptions { api_key, ..options })?)
}

/// The runtime of one subcommand: one thread asks, which is far more than an endpoint answers and the cheapest there is;
/// what takes long is handed to as many others as there are cores.
pub(super) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let others = std::thread::available_parallelism().map_or(2, usize::from);
    Ok(tokio::runtime::Builder::new_current_thread().max_blocking_threads(others.max(2)).enable_all().build()?)
}

/// The model to ask for: as given, or the only one the endpoint serves.
///
/// # Errors
/// The inner error says that the endpoint did not answer.
pub(super) fn model(
    args: &EndpointArgs,
    client: &Client,
    runtime: &tokio::runtime::Runtime,
) -> anyhow::Result<Result<String, String>> {
    if let Some(model) = &args.model {
        return Ok(Ok(model.clone()));
    }
    let asking = async { tokio::time::timeout(DISCOVERY, client.get("/v1/models")).await };
    let Ok(exchange) = runtime.block_on(asking) else {
        let seconds = DISCOVERY.as_secs();
        return Ok(Err(format!("no --model was given, and {} lists none within {seconds} s", client.base())));
    };
    let Some(names) = names(&exchange) else {
        let why = match (&exchange.error, exchange.status) {
            (Some(error), _) => error.message.clone(),
            (None, Some(status @ (401 | 403))) => format!("status {status}: it wants a key, see --api-key-env"),
            (None, status @ (None | Some(300..))) => format!("status {}", status.unwrap_or_default()),
            (None, Some(status)) => match completion::read(&exchange) {
                Answer::Fault(fault) if fault.kind == FaultKind::NotJson => fault.message,
                _ => format!("status {status}, and no list of models in it"),
            },
        };
        let why = terminal(&why);
        return Ok(Err(format!("no --model was given, and {} does not list its models: {why}", exchange.url)));
    };
    match names.as_slice() {
        [only] => Ok(Ok(only.clone())),
        several => anyhow::bail!("pass --model; the endpoint serves: {}", several.join(", ")),
    }
}

fn names(exchange: &Exchange) -> Option<Vec<String>> {
    let Body::Plain(raw) = &exchange.body else { return None };
    let body: Value = serde_json::from_slice(&raw.0).ok()?;
    let models = body.get("data")?.as_array()?;
    Some(models.iter().filter_map(|model| model.get("id")?.as_str().map(str::to_owned)).collect())
}

/// Who answers. Never the reason a run does not begin: what does not answer will be told by the run.
pub(super) fn discover(client: &Client, runtime: &tokio::runtime::Runtime) -> Identity {
    let asking = async { tokio::time::timeout(DISCOVERY, identify(client)).await };
    runtime.block_on(asking).unwrap_or_default()
}
