//! What the seats of a panel must return.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tribunal_wire as wire;

use crate::Format;
use crate::ballot::BallotLine;
use crate::last_look::MeasuredDemand;

/// The designer's answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct DesignerAnswer {
    /// What you changed and why, in a few sentences.
    #[serde(default)]
    pub notes: Option<String>,
    pub artifact: Artifact,
}

/// The whole artifact.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Artifact {
    /// `text/html`, `text/markdown` or `text/plain`.
    #[serde(default = "html")]
    pub mime: String,
    /// The whole text, from the first byte to the last.
    pub content: String,
}

/// A judge's answer.
#[derive(Debug, Clone, JsonSchema)]
pub struct JudgeAnswer {
    /// How good the artifact is in your field, on the scale given above.
    pub score: Option<GivenScore>,
    /// The parts of your score.
    pub dims: Vec<GivenDim>,
    /// What has to be mended before the artifact can ship, one demand an item. Nothing that you would merely like.
    pub must_fix: Vec<String>,
    /// What a program of ours measured and found wanting, besides.
    #[schemars(skip)]
    pub measured: Vec<MeasuredDemand>,
    /// Where the anchor has items that need an opinion.
    #[schemars(skip)]
    pub ballot: Vec<BallotLine>,
}

/// A judge's answer where the anchor has items that need an opinion.
#[derive(Debug, Clone, JsonSchema)]
pub(super) struct BallotedJudge {
    #[serde(flatten)]
    #[expect(dead_code, reason = "only its schema is asked for")]
    judge: JudgeAnswer,
    /// One line for each of the items that you vote on.
    #[expect(dead_code, reason = "only its schema is asked for")]
    ballot: Vec<BallotLine>,
}

/// A score of one dimension.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct GivenDim {
    pub name: String,
    #[serde(default)]
    pub score: Option<GivenScore>,
    /// What you saw, with the measured value where there is one.
    #[serde(default)]
    pub note: String,
}

/// A score as a judge writes it: a number, `"8"` or `"8/10"`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct GivenScore(#[schemars(with = "f64")] Value);

impl GivenScore {
    /// On our scale, before clamping; nothing if it cannot be read.
    pub(super) fn read(&self, scale: f64) -> Option<wire::ScaledScore> {
        match &self.0 {
            Value::Number(number) => wire::ScaledScore::read(number.to_string().as_bytes(), scale),
            Value::String(text) => wire::ScaledScore::read(text.as_bytes(), scale),
            _ => None,
        }
    }
}

/// An object without any of a judge's fields is something else, however lenient we are about each of them.
impl<'de> Deserialize<'de> for JudgeAnswer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Loose {
            score: Option<GivenScore>,
            dims: Option<Vec<GivenDim>>,
            must_fix: Option<Vec<String>>,
            #[serde(default)]
            measured: Vec<MeasuredDemand>,
            #[serde(default)]
            ballot: Vec<BallotLine>,
        }
        let Loose { score, dims, must_fix, measured, ballot } = Loose::deserialize(deserializer)?;
        if score.is_none() && dims.is_none() && must_fix.is_none() {
            return Err(serde::de::Error::custom("missing field `score`"));
        }
        let (dims, must_fix) = (dims.unwrap_or_default(), must_fix.unwrap_or_default());
        Ok(Self { score, dims, must_fix, measured, ballot })
    }
}

/// The artifact in whatever an agent printed that was asked for nothing but the artifact.
pub(super) fn plain(answer: &str) -> Option<(String, Format)> {
    if let Ok(DesignerAnswer { artifact, .. }) = crate::answer::read(answer) {
        return Some((artifact.content, Format::of_mime(&artifact.mime)));
    }
    let text = from_stream(answer).or_else(|| from_fence(answer)).unwrap_or_else(|| answer.trim().to_owned());
    let format = if text.trim_start().starts_with('<') { Format::Html } else { Format::Markdown };
    (!text.trim().is_empty()).then_some((text, format))
}

/// The last artifact of an answer that speaks the panel's protocol, however broken.
fn from_stream(answer: &str) -> Option<String> {
    let record = wire::StreamRecord::of(wire::ParserSettings::default(), [answer.as_bytes()]);
    let texts = record.facts().filter_map(|fact| match fact {
        wire::Fact::ArtifactChunk(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    });
    texts.filter(|text| !text.trim().is_empty()).last()
}

/// The longest fenced block.
fn from_fence(answer: &str) -> Option<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    for line in answer.lines() {
        match (&mut open, line.trim_start().starts_with("```")) {
            (Some(_), true) => blocks.extend(open.take()),
            (None, true) => open = Some(String::new()),
            (Some(block), false) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, false) => {}
        }
    }
    blocks.into_iter().max_by_key(String::len).filter(|block| !block.trim().is_empty())
}

fn html() -> String {
    Format::Html.mime().to_owned()
}
