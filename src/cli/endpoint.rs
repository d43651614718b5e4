//! From the command line to an endpoint: the client with its key, the model's name, the runtime.

use std::io::Write as _;
use std::time::Duration;

use monban_scorers::completion::{self, Answer, FaultKind, TransportErrorKind};
use monban_scorers::{Body, Exchange};
use serde_json::Value;

use super::{EndpointArgs, Io};
use crate::diagnostic::did_you_mean;
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
        let why = terminal(&unlisted(&exchange));
        return Ok(Err(format!("no --model was given, and {} does not list its models: {why}", exchange.url)));
    };
    match names.as_slice() {
        [] => anyhow::bail!("pass --model; {} lists none", exchange.url),
        [only] => Ok(Ok(only.clone())),
        several => anyhow::bail!("pass --model; the endpoint serves: {}", listed(several)),
    }
}

/// Why an endpoint lists no models, and what to do about it.
fn unlisted(exchange: &Exchange) -> String {
    const PATH: &str = "is the path right? A base URL usually ends in /v1; where it is, pass --model";
    let status = match (&exchange.error, exchange.status) {
        (Some(error), None) => {
            let start = "start the server, or wait until it has loaded the model";
            let fix = if error.kind == TransportErrorKind::Refused { format!(": {start}") } else { String::new() };
            return format!("{}{fix}", error.message);
        }
        (Some(error), Some(_)) => return error.message.clone(),
        (None, status) => status.unwrap_or_default(),
    };
    match status {
        401 | 403 => format!("status {status}: it wants a key, see --api-key-env"),
        300..=399 => match exchange.header("location") {
            Some(place) => format!("status {status}: it names another address, {place}: use the one of its API"),
            None => format!("status {status}: {PATH}"),
        },
        404 | 405 | 410 => format!("status {status}: {PATH}"),
        429 => "status 429: it is asked too often: wait, or pass --model".to_owned(),
        502..=504 => {
            format!(
                "status {status}: it is not ready, or nobody stands behind a proxy: wait until it has loaded the model"
            )
        }
        200..=299 => match completion::read(exchange) {
            Answer::Fault(fault) if fault.kind == FaultKind::NotJson => {
                format!("{}: look at what stands at this address", fault.message)
            }
            _ => format!("status {status}, and no list of models in it: pass --model"),
        },
        _ => format!("status {status}: read the server's log, or pass --model"),
    }
}

/// Names for people: a gateway may serve hundreds.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let more = names.len().saturating_sub(SHOWN);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 { format!("{shown}, and {more} more") } else { shown }
}

/// A word to whoever asks for a model that the endpoint does not list. It may serve it all the same: gateways take
/// patterns, and engines aliases.
pub(super) fn note_unserved(identity: &Identity, model: &str, io: &mut Io) -> std::io::Result<()> {
    let served = &identity.served;
    if served.is_empty() || served.iter().any(|name| name == model) {
        return Ok(());
    }
    let near = did_you_mean(model, served.iter().map(String::as_str)).map(|near| format!("; {near}"));
    let note = format!("note: `{model}` is not among the models that the endpoint lists: {}", listed(served));
    writeln!(io.err, "{}{}", terminal(&note), terminal(&near.unwrap_or_default()))
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
