//! Asks an endpoint who it is: a handful of small GETs at once. Only the endpoint is contacted.

use futures_util::future::join_all;
use monban_scorers::Exchange;

use super::facts::Identity;
use super::reading::{Answers, is_litellm, read};
use crate::endpoint::Client;

/// What is asked. `/model_info` and `/server_info` have older names in SGLang before 0.5.
const PATHS: [&str; 9] = [
    "/v1/models",
    "/version",
    "/health",
    "/model_info",
    "/get_model_info",
    "/server_info",
    "/get_server_info",
    "/props",
    "/metrics",
];

/// Asks and reads. An endpoint that does not answer the first question is not asked the others.
pub async fn identify(client: &Client) -> Identity {
    let models = client.get(PATHS[0]).await;
    if models.status.is_none() {
        return read(&Answers::from_iter([(PATHS[0].to_owned(), models)]));
    }
    // LiteLLM's /health has every model behind it answer a request.
    let paths: Vec<&str> =
        PATHS[1..].iter().copied().filter(|path| *path != "/health" || !is_litellm(&models)).collect();
    let rest: Vec<Exchange> = join_all(paths.iter().map(|path| client.get(path))).await;
    let rest = paths.iter().map(|path| (*path).to_owned()).zip(rest);
    read(&[(PATHS[0].to_owned(), models)].into_iter().chain(rest).collect())
}
