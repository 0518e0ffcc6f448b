//! People in seats: the same brief, the same work and the same question as for a model, in words for a person.
//!
//! A model is told who it is, how to answer and what not to obey; none of that helps a person. They are shown what the
//! loop says for them ([`Part::ForPerson`]), then the material under headings, and fill in fields.

use serde_json::{Value, json};
use std::fmt::Write as _;
use tribunal_anchors::Anchor;

use crate::ballot::{self, Ballot, ITEMS};
use crate::prompt::{Content, MissingBlob, Part, Prompt};
use crate::rules::ANCHOR;
use crate::trial::Ask;
use crate::{Digest, Run, RunSpec, SeatName, Turn};

/// What a person reads under one heading.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct QuestionSection {
    pub title: String,
    pub text: String,
    /// The image that it is about: what is attached to the brief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<Digest>,
}

impl RunSpec {
    /// Whether a person sits there. Runs from before agents were part of the spec do not say so.
    pub fn is_person(&self, seat: &SeatName) -> bool {
        let agent = self.seats.get(seat).and_then(|binding| self.agents.get(&binding.agent));
        agent.and_then(|agent| agent.0.get("kind")).and_then(Value::as_str) == Some("human")
    }
}

impl Run {
    /// What the person of this turn is asked, as the run stands now.
    pub fn question(&self, turn: &Turn) -> Prompt {
        let mut prompt = self.prompt(&Ask::of(turn));
        let same_call = |other: &&Turn| {
            other.id < turn.id && other.round == turn.round && other.seat == turn.seat && other.task == turn.task
        };
        let before = self.turns().iter().rev().find(same_call);
        if let Some(error) = before.and_then(Turn::error).filter(|_| turn.attempt > 1) {
            prompt.add_feedback(error);
        }
        prompt.add_directives(self.directives().iter().map(|directive| directive.text.as_str()));
        self.asked_of_person(prompt)
    }

    /// A prompt as a person reads it.
    pub(crate) fn asked_of_person(&self, prompt: Prompt) -> Prompt {
        let (mut words, mut sections, mut fields) = (Vec::new(), Vec::new(), None);
        let mut voted_on = Ballot::default();
        let mut section = |label: &str, content: Content| {
            sections.push(Part::Section { title: capitalised(label), content });
        };
        for part in prompt.parts {
            match part {
                Part::ForPerson(text) => words.push(Part::Text(text)),
                Part::Given(digest) => words.push(Part::Given(digest)),
                Part::Material { label: ANCHOR, content } => {
                    let content = self.anchor().map_or(content, |anchor| Content::Text(told(anchor)));
                    section("what it is judged against", content);
                }
                Part::Material { label, content } => section(label, content),
                Part::Attached(attachment) if attachment.media_type.is_image() => {
                    words.push(Part::Attached(attachment));
                }
                Part::Attached(attachment) => section(&attachment.label(), Content::Blob(attachment.content)),
                Part::Items(items) => {
                    words.push(Part::Text(ballot::FOR_PERSON.into()));
                    section(ITEMS, Content::Text(items.told()));
                    voted_on = items;
                }
                // Only where somebody set controls for a person: two of its items depend on the draft's text.
                Part::Ballot { .. } => words.push(part),
                Part::Section { title, content } => section(&title, content),
                Part::Form(schema) | Part::Fields(schema) => fields = Some(schema),
                Part::Text(_) | Part::Break => {}
            }
        }
        if words.is_empty() {
            words.push(Part::Text("Please answer for this seat.".into()));
        }
        let fields = fields.map(|schema| Part::Fields(laid_out(&schema, &voted_on)));
        Prompt { template: prompt.template, parts: words.into_iter().chain(sections).chain(fields).collect() }
    }
}

impl Prompt {
    /// What a person is asked to do, in words of ours and of whoever set the work up; and what they read for it.
    pub fn sections<'a>(
        &'a self,
        fetch: impl Fn(Digest) -> Option<&'a str>,
    ) -> Result<(String, Vec<QuestionSection>), MissingBlob> {
        let (mut asked, mut sections) = (Vec::new(), Vec::new());
        for part in &self.parts {
            match part {
                Part::Text(text) => asked.push(text.as_str()),
                Part::Attached(attachment) => sections.push(QuestionSection {
                    title: capitalised(&attachment.label()),
                    text: format!("An image ({}).", attachment.media_type.as_str()),
                    image: Some(attachment.content),
                }),
                Part::Given(digest) => asked.push(fetch(*digest).ok_or(MissingBlob(*digest))?),
                Part::Section { title, content } => {
                    let text = content.text(&fetch)?.trim_end().to_owned();
                    sections.push(QuestionSection { title: title.clone(), text, image: None });
                }
                Part::Ballot { ballot, draft, seed } => {
                    let text = ballot.attended(&draft.text(&fetch)?, *seed).ballot().told();
                    sections.push(QuestionSection { title: capitalised(ITEMS), text, image: None });
                }
                _ => {}
            }
        }
        Ok((asked.join("\n\n"), sections))
    }
}

/// What the fields of answers are called in words, where what a model is told about them is not for people.
const FIELDS: [(&[&str], &str); 10] = [
    (&["verdict"], "Can it be published as it is, must something be fixed first, or must somebody else decide?"),
    (&["issues"], "What is wrong with it, one issue each."),
    (&["issues", "message"], "What is wrong, in a sentence."),
    (&["issues", "severity"], "An error must be fixed; a warning may stand."),
    (&["candidate"], "The text itself."),
    (&["score"], "Your score."),
    (&["dims", "name"], "What you looked at, in a word or two."),
    (&["dims", "score"], "The score of this part alone."),
    (&["ballot", "says"], "Is it met?"),
    (&["ballot", "why"], "The reason, in a sentence."),
];

/// The schema with words for people, and a line for every item that is put to the vote, so that nobody has to copy their
/// names.
fn laid_out(schema: &str, ballot: &Ballot) -> String {
    let mut schema: Value = serde_json::from_str(schema).expect("a schema is plain JSON");
    for (path, words) in FIELDS {
        if let Some(field) = field_at(&mut schema, path) {
            field["description"] = words.into();
        }
    }
    if !ballot.is_empty() && schema["properties"]["ballot"].is_object() {
        let lines = &mut schema["properties"]["ballot"];
        lines["default"] = ballot.items().iter().map(|item| json!({ "id": item.id })).collect();
        let ids = ballot.items().iter().map(|item| {
            let words = format!("{}: {}", item.level.as_str(), item.words);
            json!({ "const": item.id, "description": words })
        });
        let ids: Vec<Value> = ids.collect();
        lines["items"]["properties"]["id"] = json!({ "description": "Which item.", "oneOf": ids });
    }
    schema.to_string()
}

/// The field of this name, inside of lists where there are any.
fn field_at<'s>(schema: &'s mut Value, path: &[&str]) -> Option<&'s mut Value> {
    let (name, rest) = path.split_first()?;
    let field = schema.get_mut("properties")?.get_mut(*name)?;
    if rest.is_empty() { Some(field) } else { field_at(field.get_mut("items")?, rest) }
}

/// An anchor in words.
fn told(anchor: &Anchor) -> String {
    let mut text = String::new();
    match anchor {
        Anchor::Acceptance(acceptance) => {
            for item in &acceptance.items {
                let _ = writeln!(text, "- {} Done when: {}", item.question, item.done_when);
            }
        }
        Anchor::Exemplars(exemplars) => {
            for (what, samples) in [("Like this", &exemplars.positive), ("Not like this", &exemplars.negative)] {
                for sample in samples {
                    let _ = writeln!(text, "{what}:\n{}\n", sample.trim_end());
                }
            }
        }
        Anchor::Rubric(rubric) => {
            for dim in &rubric.dims {
                let about = dim.description.as_deref().map(|about| format!(": {about}")).unwrap_or_default();
                let _ = writeln!(text, "- {}{about}", dim.name);
            }
        }
        Anchor::Goal(goal) => {
            let _ = writeln!(text, "The goal: {}", goal.north_star);
            for rule in &goal.constraints {
                let _ = writeln!(text, "- {}", rule.rule);
            }
        }
        Anchor::Invariants(_) | Anchor::Assertions(_) => {
            for (level, rule) in anchor.items() {
                let _ = writeln!(text, "- {}: {}", level.as_str().to_lowercase(), rule.rule);
            }
        }
    }
    text
}

fn capitalised(label: &str) -> String {
    let mut chars = label.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}
