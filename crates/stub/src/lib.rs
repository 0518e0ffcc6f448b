//! A model server on 127.0.0.1 that follows a script: for tests of clients, and for agent command lines that are run
//! for real.
//!
//! ```
//! use tribunal_stub::{Script, Stub, StubFault};
//!
//! // The first two calls fail, then all is well.
//! let stub = Stub::start(Script::always("Hello, {{model}}.").failing_first(2, StubFault::Overloaded))?;
//! println!("point a client at {}", stub.url());
//! assert_eq!(stub.totals().calls, 0);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # What it speaks
//! | wire | paths | streams | cache |
//! |---|---|---|---|
//! | `anthropic` | `POST /v1/messages`, `/v1/messages/count_tokens` | server-sent events | up to `cache_control` marks |
//! | `chat` | `POST /v1/chat/completions` | server-sent events, `stream_options.include_usage` | automatic |
//! | `responses` | `POST /v1/responses` | server-sent events | automatic |
//! | `gemini` | `POST /v1beta/models/MODEL:generateContent`, `:streamGenerateContent`, `:countTokens` | with `alt=sse`; else an array | automatic |
//!
//! Beside these: `GET /v1/models`, `GET /v1beta/models`, `HEAD /`, `GET /api/hello`. Every other path is a 404 in JSON
//! that is recorded as well. The version in front may be missing, as clients differ in what they call a base URL.
//!
//! Numbers are those that a provider would report, but for the tokenizer: a token is four bytes of text, or of JSON
//! where a block is not text. Marked prefixes of at least 1024 tokens are read and written as the marks say, at most
//! four of them, looking back twenty blocks; automatic caches know beginnings from 1024 tokens on in steps of 128. Keys
//! and models have caches of their own. Nothing expires. An answer that is longer than the request allows is cut off.
//!
//! # Scripts
//! Rules are tried in order; the first that fits decides. In Rust a rule may be a function ([`Script::ask`]); in JSON:
//!
//! ```
//! # let script = r#"
//! {
//!   "rules": [
//!     {"when": {"wire": "anthropic", "model": "haiku"}, "then": {"text": "A title"}},
//!     {"when": {"first": 2}, "then": {"fault": {"rate_limited": {"retry_after_ms": 1500}}}},
//!     {"when": {"prompt": "list", "tool_results": false}, "then": {"tools": [{"name": "Bash", "input": {"command": "ls"}}]}},
//!     {"when": {"nth": 3}, "then": {"text": "It breaks in the middle.", "fault": {"cut": {"bytes": 300}}}},
//!     {"then": {"text": "You said: {{user}}"}}
//!   ]
//! }
//! # "#;
//! # assert!(tribunal_stub::Script::from_json(script).is_ok());
//! ```
//!
//! | in `when` | fits |
//! |---|---|
//! | `wire` | this wire |
//! | `model`, `prompt`, `user` | the model's name, the whole prompt, the last words of the user contain this |
//! | `key`, `tools`, `tool_results` | whether a key was sent; tools were offered; the last message brings results of tools |
//! | `nth`, `first` | the nth, or the first so many, of the calls that reach the rule and that all of the above fits |
//!
//! `text` may hold `{{prompt}}`, `{{user}}`, `{{system}}`, `{{model}}`, `{{wire}}` and `{{number}}`. Where no rule fits,
//! the call is refused with 400; `"otherwise": "tribunal"` beside `rules` answers Tribunal's own prompts instead, like a
//! server that is started without any script: reviews and theaters have trouble in their first round and none in their
//! second, and jousts meet the anchor that they wrote.
//!
//! # Faults
//! | fault | what the client sees |
//! |---|---|
//! | `"unauthorized"`, `"forbidden"`, `"server_error"`, `"too_long"` | 401, 403, 500, 400, in the wire's own words |
//! | `{"rate_limited": {"retry_after_ms": 1500}}` | 429 with `retry-after: 2` and `retry-after-ms: 1500` |
//! | `"overloaded"` | 529 from Anthropic, 503 from the others |
//! | `"hang"`, `{"hang_after": {"bytes": 200}}` | nothing; so many bytes of the body and then nothing |
//! | `{"cut": {}}`, `{"cut": {"bytes": 200}}` | the connection is closed in the middle of the body, or after so many bytes |
//! | `"cut_character"` | it is closed inside a character of several bytes |
//! | `{"slow": {"bytes_per_second": 100}}` | the body at this speed |
//! | `"html"`, `"not_json"` | 200 with a page; 200 with the right content type and the wrong bytes |
//! | `{"huge": {"megabytes": 20}}` | a well-formed answer of this size |
//! | `"close"` | the connection is closed before any header |
//! | `{"refuse": {"ms": 500}}` | it is closed, and for so long connections are refused |
//!
//! A connection that is refused is never seen here, so it cannot be counted: `refuse` has a time instead. [`Refusing`]
//! (`tribunal-stub --refuse`) never listens at all.
//!
//! # The program
//! `tribunal-stub [--script FILE] [--port 0] [--log calls.ndjson]` prints `{"port": 40123}` when it is ready and runs until
//! it is ended. The log has one [`CallRecord`] a line. Keys are neither kept nor logged, but prompts are: this is no server
//! for secrets.
//!
//! | file | noun |
//! |---|---|
//! | `server` | connections, and who is let in |
//! | `http/` | requests and responses, with limits |
//! | `clerk` | one request in, one action out |
//! | `asked` | a request to a model, the same for every wire |
//! | `wires/` | how each wire asks and is answered |
//! | `script`, `fault` | what is answered, and what goes wrong |
//! | `tribunal`, `material` | answers to Tribunal's own prompts, and what is in them |
//! | `cache` | what of a prompt was there before |
//! | `call`, `books` | what was asked, and what is remembered of it |

mod asked;
mod books;
mod cache;
mod call;
mod clerk;
mod fault;
mod http;
mod material;
mod script;
mod server;
mod tribunal;
mod wires;

pub use cache::{AUTOMATIC_STEP, LOOK_BACK, MIN_CACHED_TOKENS};
pub use call::{BYTES_PER_TOKEN, CallRecord, Purpose, StubCall, StubPrice, TokenCounts, Totals, Wire, tokens_of};
pub use fault::{MAX_HUGE, StubFault};
pub use http::HttpLimits;
pub use script::{Matcher, Script, ScriptError, StubReply, ToolCall};
pub use server::{Refusing, Stub, StubOptions};
pub use tribunal::side_task;
