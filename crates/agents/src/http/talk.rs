//! One request, and the stream that comes back. The only file that knows how genai speaks.

use futures_util::StreamExt as _;
use genai::adapter::AdapterKind;
use genai::chat::{
    CacheControl, ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, ContentPart, JsonSpec, MessageContent,
    ReasoningEffort, StopReason, StreamEnd, Tool, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint};
use genai::webc::StreamTimeout;
use genai::{Headers, ModelIden, ServiceTarget};
use serde_json::{Value, json};
use std::time::Duration;
use tribunal_kernel::Usage;
use tribunal_kernel::quote::FRAME;
use tribunal_kernel::tokens::{USUAL_IMAGE, most_image_tokens, most_tokens};

use super::failure::{Failure, What};
use super::line::{Line, chain};
use super::meter::{AnswerCap, Charge};
use super::provider::Provider;
use super::tools::{self, Wanted};
use crate::adapter::{Activity, Show};
use crate::{TurnRequest, resumption};

/// What the form of an answer is called on wires that want a name.
const FORM: &str = "answer";
/// Bytes in a token, where nobody counted.
const BYTES_PER_TOKEN: u64 = 4;
/// What frames a message.
const A_MESSAGE: u64 = 32;
/// Every provider that takes a temperature takes this one.
const LOWEST_TEMPERATURE: f64 = 0.0;

/// What was said so far.
#[derive(Debug)]
pub(super) struct Talk {
    messages: Vec<ChatMessage>,
    has_tools: bool,
    bytes: u64,
    /// The most tokens that all of it has.
    tokens: u64,
}

/// Who is asked, and how.
#[derive(Debug)]
pub(super) struct Asking<'a> {
    pub(super) line: &'a Line,
    pub(super) provider: &'a Provider,
    pub(super) key: Option<&'a str>,
    pub(super) model: &'a str,
    pub(super) effort: Option<&'a str>,
    pub(super) idle: Duration,
    /// Calls with the same beginning have the same one.
    pub(super) cache_key: String,
}

/// In which manner an answer is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner<'a> {
    pub(super) form: Option<&'a Value>,
    /// Whether the lowest temperature is asked for.
    pub(super) is_cold: bool,
    /// How long it may be.
    pub(super) cap: Option<AnswerCap>,
}

/// What a model said.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) calls: Vec<Wanted>,
    pub(super) usage: Usage,
    /// Everything that it said, thoughts included.
    pub(super) bytes: u64,
    /// The same as a message of the talk.
    message: Option<ChatMessage>,
}

impl Said {
    /// The most tokens that it has when it is sent back: as many as were counted, thoughts included, or can be.
    fn most_tokens(&self) -> u64 {
        let calls = self.calls.iter().map(|call| most_tokens(&call.input.to_string()) + A_MESSAGE);
        let seen = calls.fold(most_tokens(&self.text), u64::saturating_add);
        seen.max(self.usage.output_tokens).saturating_add(A_MESSAGE)
    }
}

impl Talk {
    /// The beginning: what stays the same in every call of the seat comes first, so that caches can know it.
    pub(super) fn new(request: &TurnRequest, provider: &Provider, is_marked: bool, has_tools: bool) -> Self {
        let (stable, rest) = request.blocks();
        let mark = |message: ChatMessage, wanted: bool| {
            if wanted { message.with_options(CacheControl::Ephemeral) } else { message }
        };
        let shown = |text: &str| {
            let images = request.images().map(|image| {
                ContentPart::from_binary_base64(image.media_type.as_str(), image.base64(), Some(image.name.clone()))
            });
            MessageContent::from_parts(images.chain([ContentPart::from_text(text)]).collect::<Vec<_>>())
        };
        let mut messages = Vec::new();
        // A request needs something that the user says.
        if stable.is_empty() || rest.trim().is_empty() {
            messages.push(mark(ChatMessage::user(shown(&request.prompt)), is_marked && has_tools));
        } else {
            messages.push(mark(ChatMessage::system(stable), is_marked));
            // The same prompt is sent again with every result of a tool.
            messages.push(mark(ChatMessage::user(shown(rest)), is_marked && has_tools));
        }
        let offers = tools::OFFERED.iter().map(|offer| {
            most_tokens(offer.name) + most_tokens(offer.description) + most_tokens(&offer.input().to_string())
        });
        let offered = if has_tools { offers.sum() } else { 0 };
        let images = request.images().count() as u64;
        let image = most_image_tokens(Some(&provider.to_string()), request.model.as_deref());
        let seen = image.saturating_mul(images);
        let bytes = request.prompt.len() as u64 + images * USUAL_IMAGE * BYTES_PER_TOKEN;
        let tokens = most_tokens(&request.prompt) + seen + offered + FRAME;
        Self { messages, has_tools, bytes, tokens }
    }

    /// The model called tools, and these are their results.
    pub(super) fn go_on(&mut self, said: Said, results: Vec<String>) {
        self.bytes += said.bytes + results.iter().map(|result| result.len() as u64).sum::<u64>();
        let told: u64 = results.iter().map(|result| most_tokens(result) + A_MESSAGE).sum();
        self.tokens = self.tokens.saturating_add(told).saturating_add(said.most_tokens());
        self.messages.extend(said.message);
        let respond = |(call, text): (Wanted, String)| ToolResponse::new(call.id, text).with_fn_name(call.name);
        self.messages.extend(said.calls.into_iter().zip(results).map(respond).map(ChatMessage::from));
    }

    /// The most tokens that the next request has, with the form of its answer.
    pub(super) fn most_tokens(&self, form: Option<&Value>) -> u64 {
        self.tokens.saturating_add(form.map_or(0, |form| most_tokens(&form.to_string())))
    }

    fn request(&self) -> ChatRequest {
        let tool =
            |offer: &tools::Offer| Tool::new(offer.name).with_description(offer.description).with_schema(offer.input());
        let request = ChatRequest::new(self.messages.clone());
        if self.has_tools { request.with_tools(tools::OFFERED.iter().map(tool)) } else { request }
    }
}

impl Asking<'_> {
    /// Asks once. Text is shown as it comes; `room` is how many bytes the model may say.
    pub(super) async fn say(
        &self,
        talk: &Talk,
        manner: Manner<'_>,
        room: u64,
        charge: Charge<'_>,
        show: Show<'_>,
    ) -> Result<Said, Failure> {
        let mut heard = Heard { room, text: String::new(), bytes: 0, charge };
        match self.listen(talk, manner, &mut heard, show).await {
            Ok(end) => self.said(talk, heard, end),
            Err(what) => {
                // Who refuses has not worked, and neither has who was never reached.
                if heard.bytes == 0 && matches!(&what, What::Fault { fault, .. } if fault.status.is_some()) {
                    heard.charge.waive();
                }
                Err(Failure { is_seen: !heard.text.is_empty(), what }.without(self.key))
            }
        }
    }

    async fn listen(
        &self,
        talk: &Talk,
        manner: Manner<'_>,
        heard: &mut Heard<'_>,
        show: Show<'_>,
    ) -> Result<StreamEnd, What> {
        let options = self.options(talk, manner);
        let response = self.line.client.exec_chat_stream(self.target(), talk.request(), Some(&options)).await;
        let mishap = |error: &genai::Error, heard: &mut Heard<'_>| {
            if is_unreached(error) {
                heard.charge.waive();
            }
            what(error)
        };
        let mut stream = response.map_err(|error| mishap(&error, heard))?.stream;
        while let Some(event) = stream.next().await {
            match event.map_err(|error| mishap(&error, heard))? {
                ChatStreamEvent::Chunk(chunk) => {
                    heard.count(&chunk.content)?;
                    heard.text.push_str(&chunk.content);
                    if !chunk.content.is_empty() {
                        show(Activity::Text(chunk.content));
                    }
                }
                ChatStreamEvent::ReasoningChunk(chunk) => heard.count(&chunk.content)?,
                // Every piece of a call repeats what came before it, so this counts more than was said.
                ChatStreamEvent::ToolCallChunk(_) => heard.count(".")?,
                ChatStreamEvent::End(end) => return Ok(end),
                ChatStreamEvent::Start | ChatStreamEvent::ThoughtSignatureChunk(_) | ChatStreamEvent::Heartbeat => {}
            }
        }
        Err(What::Broken(if heard.bytes == 0 {
            "what came back is no answer in its interface".into()
        } else {
            "the answer broke off".into()
        }))
    }

    /// What a stream that has ended comes to.
    fn said(&self, talk: &Talk, mut heard: Heard<'_>, end: StreamEnd) -> Result<Said, Failure> {
        let usage = end.captured_usage.as_ref().and_then(usage);
        // However it ended: what was counted is to be paid.
        if let Some(usage) = usage {
            heard.charge.settle(usage);
        }
        let fail = |what| Err(Failure { is_seen: !heard.text.is_empty(), what });
        let is_chat = matches!(self.provider, Provider::OpenAiChat | Provider::Compatible(_));
        match &end.captured_stop_reason {
            Some(StopReason::Completed(_) | StopReason::StopSequence(_) | StopReason::ToolCall(_)) => {}
            Some(StopReason::MaxTokens(word)) => return fail(What::CutOff(word.clone())),
            Some(StopReason::ContentFilter(word)) => return fail(What::Withheld(word.clone())),
            Some(StopReason::Other(word)) => return fail(What::Broken(format!("the answer ended with `{word}`"))),
            // Chat has a last line of its own, and servers that send it without a reason.
            None if is_chat => {}
            None if heard.bytes == 0 => {
                return fail(What::Broken("what came back is no answer in its interface".into()));
            }
            None => return fail(What::Broken("the answer broke off".into())),
        }
        let usage = usage.unwrap_or(Usage {
            input_tokens: talk.bytes.div_ceil(BYTES_PER_TOKEN),
            output_tokens: heard.bytes.div_ceil(BYTES_PER_TOKEN),
            estimated: true,
            ..Usage::default()
        });
        heard.charge.settle(usage);
        let calls = end.captured_tool_calls().unwrap_or_default();
        let calls: Vec<Wanted> = calls
            .into_iter()
            .map(|call| Wanted {
                id: call.call_id.clone(),
                name: call.fn_name.clone(),
                input: call.fn_arguments.clone(),
            })
            .collect();
        let message = end.into_assistant_message_for_tool_use();
        Ok(Said { text: heard.text, calls, usage, bytes: heard.bytes, message })
    }

    fn target(&self) -> ServiceTarget {
        let kind = match self.provider {
            Provider::Anthropic => AdapterKind::Anthropic,
            Provider::OpenAi => AdapterKind::OpenAIResp,
            Provider::OpenAiChat => AdapterKind::OpenAI,
            Provider::Gemini => AdapterKind::Gemini,
            // Chat Completions, without what genai knows of OpenAI's own models.
            Provider::Compatible(_) => AdapterKind::Custom(0),
        };
        let address = &self.line.address;
        let auth = match (self.key, self.provider) {
            (Some(key), _) => AuthData::from_single(key),
            (None, Provider::Compatible(_) | Provider::OpenAiChat) => {
                // An empty key is no key: some servers refuse it.
                AuthData::RequestOverride { url: format!("{address}chat/completions"), headers: Headers::default() }
            }
            (None, _) => AuthData::from_single(""),
        };
        let endpoint = Endpoint::from_owned(address.as_str());
        ServiceTarget { endpoint, auth, model: ModelIden::new(kind, self.model) }
    }

    fn options(&self, talk: &Talk, Manner { form, is_cold, cap }: Manner<'_>) -> ChatOptions {
        let options = ChatOptions::default()
            .with_capture_usage(true)
            .with_capture_tool_calls(true)
            .with_capture_content(talk.has_tools)
            .with_stream_header_timeout(self.idle)
            .with_stream_read_timeout(self.idle);
        let options = self.with_effort(options);
        let options = match self.provider {
            // It takes back its thoughts with the results of tools, and refuses the results alone.
            Provider::Anthropic => options.with_capture_reasoning_content(talk.has_tools && self.effort.is_some()),
            // Without a word about the cache, genai switches it off for OpenAI's newer models.
            Provider::OpenAi | Provider::OpenAiChat => options.with_prompt_cache_key(self.cache_key.clone()),
            Provider::Gemini | Provider::Compatible(_) => options,
        };
        let options = match cap {
            Some(cap) => options.with_max_tokens(cap.tokens),
            None => options,
        };
        let options = if is_cold { options.with_temperature(LOWEST_TEMPERATURE) } else { options };
        match form {
            Some(form) => self.with_form(options, form),
            None => options,
        }
    }

    fn with_effort(&self, options: ChatOptions) -> ChatOptions {
        match self.effort.and_then(ReasoningEffort::from_keyword) {
            Some(effort) => options.with_reasoning_effort(effort),
            // genai would cut `-medium` off `mistral-medium` and take it for an effort. A budget of tokens keeps it from
            // doing so, and is not sent on these wires.
            None if !matches!(self.provider, Provider::Anthropic | Provider::Gemini) => {
                options.with_reasoning_effort(ReasoningEffort::Budget(0))
            }
            None => options,
        }
    }

    /// Asks for the form in the wire's own way. OpenAI's strict mode wants every field to be required, which ours are
    /// not; genai knows no other, so there we say it ourselves.
    fn with_form(&self, options: ChatOptions, form: &Value) -> ChatOptions {
        let mut schema = form.clone();
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("$schema");
        }
        match self.provider {
            Provider::Anthropic | Provider::Gemini => options.with_response_format(JsonSpec::new(FORM, schema)),
            Provider::OpenAi => options.with_extra_body(json!({
                "text": {"format": {"type": "json_schema", "name": FORM, "strict": false, "schema": schema}},
            })),
            Provider::OpenAiChat | Provider::Compatible(_) => options.with_extra_body(json!({
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": FORM, "strict": false, "schema": schema},
                },
            })),
        }
    }
}

/// What came of a stream so far.
struct Heard<'c> {
    text: String,
    bytes: u64,
    room: u64,
    charge: Charge<'c>,
}

impl Heard<'_> {
    fn count(&mut self, piece: &str) -> Result<(), What> {
        self.charge.hear(piece);
        self.bytes += piece.len() as u64;
        if self.room < self.bytes { Err(What::TooMuch) } else { Ok(()) }
    }
}

/// Whether nobody was there to hear the request.
fn is_unreached(error: &genai::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = match error {
        genai::Error::WebStream { error, .. } => Some(error.as_ref()),
        other => Some(other),
    };
    while let Some(error) = cause {
        if error.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_connect) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// What an error of genai means.
fn what(error: &genai::Error) -> What {
    use genai::Error;
    if let Some(status) = error.status() {
        let header = |name: &str| error.headers()?.get(name)?.to_str().ok();
        let when = resumption::in_headers(header);
        let body = match error {
            Error::HttpError { body, .. } => body.clone(),
            other => other.to_string(),
        };
        return Failure::refused(status.as_u16(), &body, when).what;
    }
    match error {
        Error::WebStream { error, .. } if error.is::<StreamTimeout>() => What::Silent,
        Error::WebStream { error, .. } if error.is::<reqwest::Error>() => {
            let is_begun =
                error.downcast_ref().is_some_and(|error: &reqwest::Error| error.is_body() || error.is_decode());
            let words = chain(error.as_ref());
            Failure::lost(if is_begun { format!("the answer broke off: {words}") } else { words }).what
        }
        Error::WebStream { error, .. } => match error.downcast_ref::<Error>() {
            Some(inner) => what(inner),
            None => What::Broken(format!("what came back cannot be read: {}", chain(error.as_ref()))),
        },
        Error::ChatResponse { body, .. } => Failure::interjected(body).what,
        Error::StreamParse { serde_error, .. } => What::Broken(format!("what came back cannot be read: {serde_error}")),
        other => What::Broken(other.to_string()),
    }
}

/// The tokens that were counted; nothing if none were.
fn usage(usage: &genai::chat::Usage) -> Option<Usage> {
    let number = |number: Option<i32>| number.and_then(|number| u64::try_from(number).ok());
    let (input, output) = (number(usage.prompt_tokens), number(usage.completion_tokens));
    let details = usage.prompt_tokens_details.as_ref();
    let cached = details.and_then(|details| number(details.cached_tokens));
    let written = details.and_then(|details| number(details.cache_creation_tokens));
    (input.is_some() || output.is_some()).then(|| Usage {
        input_tokens: input.unwrap_or_default(),
        output_tokens: output.unwrap_or_default(),
        cached_tokens: cached.unwrap_or_default(),
        cache_write_tokens: written.unwrap_or_default(),
        ..Usage::default()
    })
}
