//! Error objects in the shapes servers send them: [`ErrorObject`] → [`Fault`].

use super::deviation::{Notes, bounded};
use super::json::{Json, Members, get_some};
use super::{Fault, FaultKind};

/// How much of a server's words is kept.
const WORDS: usize = 2000;

/// An error as a server states it.
#[derive(Debug, Default)]
pub(super) struct ErrorObject {
    pub(super) message: String,
    pub(super) error_type: Option<String>,
    pub(super) code: Option<String>,
    pub(super) param: Option<String>,
    /// The shape's deviation, and the detail.
    shape: Option<(&'static str, String)>,
    number: bool,
    extra: Vec<String>,
}

/// The error object of a body or chunk: nested, flat, `detail`, or text.
pub(super) fn find(members: &Members<'_>) -> Option<ErrorObject> {
    let choices = get_some(members, "choices").is_some();
    if let Some(error) = get_some(members, "error") {
        return match error {
            Json::Map(inner) => Some(read(inner)),
            Json::Bool(false) => None,
            Json::List(items) => items.first().and_then(Json::as_map).map(read),
            text => Some(text_error(members, text)),
        };
    }
    if choices {
        return None;
    }
    let flat = get_some(members, "object").and_then(Json::as_str) == Some("error")
        || get_some(members, "message").is_some_and(|message| message.as_str().is_some())
            && ["code", "type", "status", "statusCode", "status_code"]
                .iter()
                .any(|key| get_some(members, key).is_some());
    if flat {
        let mut error = read(members);
        error.shape = Some(("error_flat", "the error stands at the top level".to_owned()));
        return Some(error);
    }
    if let Some(errors) = get_some(members, "errors").and_then(Json::as_list) {
        return Some(errors.first().and_then(Json::as_map).map(read).unwrap_or_default());
    }
    // `{"error parsing tool call": "invalid character …"}`: the words stand where the key is due (ollama#11781).
    let worded = members.iter().find(|(key, value)| key.starts_with("error ") && value.as_str().is_some());
    if let Some((key, value)) = worded {
        return Some(ErrorObject::text(&format!("{key}: {}", value.to_text())));
    }
    let detail = get_some(members, "detail")?;
    let mut error = ErrorObject { message: detail_words(detail), ..ErrorObject::default() };
    error.shape = Some(("error_detail", bounded(detail.to_text(), 100)));
    Some(error)
}

/// `{"error": "text"}`, with what stands beside it (TGI: `error_type`).
fn text_error(members: &Members<'_>, text: &Json<'_>) -> ErrorObject {
    let words = match get_some(members, "message") {
        Some(message) if text.as_str().is_none() => message.to_text(),
        _ => text.to_text(),
    };
    let own = |keys: [&str; 2]| keys.iter().find_map(|key| get_some(members, key)).map(Json::to_text);
    ErrorObject {
        message: bounded(words, WORDS),
        error_type: own(["error_type", "type"]),
        code: own(["code", "status"]),
        shape: Some(("error_text", text.type_name().to_owned())),
        ..ErrorObject::default()
    }
}

fn read(members: &Members<'_>) -> ErrorObject {
    let field = |key: &str| get_some(members, key).map(Json::to_text).filter(|text| !text.is_empty() && text != "None");
    let message = ["message", "msg", "detail", "error"].iter().find_map(|key| get_some(members, key));
    let known = ["message", "type", "code", "param", "object", "provider_specific_fields"];
    let extra = members.iter().filter(|(key, json)| !known.contains(&&**key) && !matches!(json, Json::Null));
    ErrorObject {
        message: bounded(message.map(detail_words).unwrap_or_default(), WORDS),
        error_type: field("type").map(|text| bounded(text, 200)),
        code: ["code", "statusCode", "status_code", "status"]
            .iter()
            .find_map(|key| field(key))
            .map(|text| bounded(text, 200)),
        param: field("param").map(|text| bounded(text, 200)),
        shape: None,
        number: matches!(get_some(members, "code"), Some(Json::Number(_))),
        extra: extra.take(8).map(|(key, json)| format!("{key}={}", bounded(json.to_text(), 80))).collect(),
    }
}

/// FastAPI's `detail`: a text, or a list of `{loc, msg}`.
fn detail_words(json: &Json<'_>) -> String {
    match json {
        Json::List(items) => {
            let words = items.iter().take(10).map(|item| {
                let loc = item.field("loc").map(|loc| format!(" at {}", loc.to_value())).unwrap_or_default();
                format!("{}{loc}", item.field("msg").unwrap_or(item).to_text())
            });
            words.collect::<Vec<_>>().join("; ")
        }
        Json::Map(_) => match json.field("message").or_else(|| json.field("msg")) {
            Some(inner) => inner.to_text(),
            None => json.to_text(),
        },
        other => other.to_text(),
    }
}

impl ErrorObject {
    /// An error of which only the text is known.
    pub(super) fn text(text: &str) -> Self {
        Self { message: bounded(text, WORDS), ..Self::default() }
    }

    /// Message and type in one line.
    pub(super) fn words(&self) -> String {
        match &self.error_type {
            Some(kind) if !kind.is_empty() => format!("{kind}: {}", self.message),
            _ => self.message.clone(),
        }
    }

    /// The fault this error makes of an answer.
    pub(super) fn fault(mut self, kind: FaultKind, status: Option<u16>, notes: &mut Notes) -> Fault {
        if let Some((shape, detail)) = &self.shape {
            notes.add(shape, "", detail);
        }
        if self.number {
            notes.add("error_code_number", "error.code", self.code.as_deref().unwrap_or_default());
        }
        if !self.extra.is_empty() {
            notes.add("error_extra", "error", self.extra.join(", "));
        }
        if status.is_some_and(|status| status < 300) {
            notes.add("error_with_good_status", "", self.code.as_deref().unwrap_or("no code"));
        }
        self.unwrap_gateway(notes);
        Fault {
            kind,
            status,
            message: self.message,
            error_type: self.error_type,
            code: self.code,
            param: self.param,
            deviations: Vec::new(),
        }
    }

    /// LiteLLM puts the engine's error into its own message, as text or as JSON
    /// (`litellm.BadRequestError: Hosted_vllmException - {"error":{…}}`). The message stays; what it lacks is filled in.
    fn unwrap_gateway(&mut self, notes: &mut Notes) {
        let Some((prefix, rest)) = self.message.split_once("Exception - ") else { return };
        if !prefix.starts_with("litellm.") {
            return;
        }
        let inner = serde_json::Deserializer::from_str(rest).into_iter::<Json<'_>>().next().and_then(Result::ok);
        let error = inner.as_ref().and_then(Json::as_map).and_then(find);
        let words = error.as_ref().map_or_else(|| rest.to_owned(), ErrorObject::words);
        notes.add("error_wrapped", "error.message", words);
        if let Some(param) = error.and_then(|error| error.param) {
            self.param.get_or_insert(param);
        }
    }
}
