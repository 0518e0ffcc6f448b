//! Every text of the page is shown somewhere, and every language has all of them.

use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::corpus::Corpus;
use super::script::{Kind, Script};
use super::{Fault, Item};

const PAGE: &str = "web/src";
const FOLDER: &str = "web/src/i18n";

/// The language that the others are translated from. Every folder with such a file has texts of its own.
const SOURCE: &str = "en.ts";

/// What a plural's key ends with; whoever asks for it names what stands before.
const PLURALS: &[&str] = &[".zero", ".one", ".two", ".few", ".many", ".other"];

#[expect(clippy::unnecessary_wraps, reason = "a check, like others that can fail")]
pub(super) fn rule(corpus: &Corpus<'_>) -> Result<Vec<Fault>> {
    if !corpus.has_page() {
        return Ok(Vec::new());
    }
    let asked = Asked::by(corpus.scripts(PAGE).filter(|script| !script.path.starts_with(FOLDER)));
    let locales: Vec<&Script> = corpus.scripts(FOLDER).filter(|script| is_locale(script)).collect();
    let mut faults = Vec::new();
    for source in locales.iter().filter(|script| script.path.ends_with(SOURCE)) {
        let texts = texts(source);
        if texts.is_empty() {
            faults.push(Fault::file(&source.path, "no texts found in here"));
        }
        for item in texts.values().filter(|item| !asked.has(&item.name)) {
            faults.push(item.fault("is asked for by nothing in web/src"));
        }
        let others = locales.iter().filter(|script| script.path.parent() == source.path.parent());
        for locale in others.filter(|locale| locale.path != source.path) {
            faults.extend(translated(locale, &source.path, &texts));
        }
    }
    if !locales.iter().any(|script| script.path.ends_with(SOURCE)) {
        faults.push(Fault::file(FOLDER, format!("no {SOURCE} in here")));
    }
    Ok(faults)
}

/// What a language has too much or too little.
fn translated(locale: &Script, source: &Path, texts: &BTreeMap<String, Item>) -> Vec<Fault> {
    let own = self::texts(locale);
    if own.is_empty() {
        return vec![Fault::file(&locale.path, format!("nothing of {} is translated", source.display()))];
    }
    let missing = texts.values().filter(|item| !own.contains_key(&item.name));
    let missing = missing.map(|item| Fault::file(&locale.path, format!("`{}` is missing", item.name)));
    let unknown = own.values().filter(|item| !texts.contains_key(&item.name));
    missing.chain(unknown.map(|item| item.fault(&format!("is not in {}", source.display())))).collect()
}

/// `en.ts`, `zh-CN.ts`.
fn is_locale(script: &Script) -> bool {
    let name = script.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(name) = name.strip_suffix(".ts") else { return false };
    let mut parts = name.split('-');
    let language = parts.next().unwrap_or_default();
    let is_language = language.len() == 2 && language.bytes().all(|b| b.is_ascii_lowercase());
    is_language && parts.all(|part| part.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// The keys of the largest object of the file; those of objects in it are joined with dots.
fn texts(script: &Script) -> BTreeMap<String, Item> {
    let objects = (0..script.tokens.len()).filter(|at| script.is_mark(*at, '{') && is_value(script, *at));
    let all = objects.map(|at| {
        let mut found = BTreeMap::new();
        gather(script, at, "", &mut found);
        found
    });
    all.max_by_key(BTreeMap::len).unwrap_or_default()
}

/// Whether an object stands here, and not the body of something.
fn is_value(script: &Script, at: usize) -> bool {
    at > 0 && ['=', '('].iter().any(|mark| script.is_mark(at - 1, *mark))
}

fn gather(script: &Script, at: usize, before: &str, found: &mut BTreeMap<String, Item>) {
    for (place, key) in script.keys(at).unwrap_or_default() {
        let name = format!("{before}{key}");
        if script.is_mark(place + 2, '{') {
            gather(script, place + 2, &format!("{name}."), found);
        } else {
            let item = Item::new(&name, &script.path, script.tokens[place].line);
            found.insert(name, item);
        }
    }
}

/// What the page asks for.
#[derive(Default)]
struct Asked {
    texts: BTreeSet<String>,
    /// What stands before the first and behind the last value of a template: `status.${status}`.
    templates: Vec<(String, String)>,
}

impl Asked {
    fn by<'s>(scripts: impl Iterator<Item = &'s Script>) -> Self {
        let mut asked = Self::default();
        for token in scripts.flat_map(|script| &script.tokens) {
            match &token.kind {
                Kind::Text(text) => drop(asked.texts.insert(text.clone())),
                Kind::Template(parts) => match &parts[..] {
                    [text] => drop(asked.texts.insert(text.clone())),
                    // Without a part of the name before it a template could stand for anything.
                    [first, .., last] if first.contains('.') => asked.templates.push((first.clone(), last.clone())),
                    _ => {}
                },
                _ => {}
            }
        }
        asked
    }

    fn has(&self, key: &str) -> bool {
        let is_made = |key: &str| {
            let long_enough = |(first, last): &&(String, String)| key.len() > first.len() + last.len();
            let mut fitting = self.templates.iter().filter(long_enough);
            fitting.any(|(first, last)| key.starts_with(first.as_str()) && key.ends_with(last.as_str()))
        };
        let stem = PLURALS.iter().find_map(|end| key.strip_suffix(end));
        [Some(key), stem].into_iter().flatten().any(|key| self.texts.contains(key) || is_made(key))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::orphans;
    use super::*;

    const EN: &str = "
        export const en = {
            \"stage.title\": \"The stage\",
            \"rounds.one\": \"{n} round\",
            \"rounds.other\": \"{n} rounds\",
            status: { running: \"Running: it's on\", shipped: \"Shipped\" },
        } as const;
        export type Key = keyof typeof en;
    ";
    const PAGE: &str = "import { t } from \"../i18n\"; // \"stage.old\"
        export const Stage = () => <h1 title={t(`status.${run.status}`)}>{t(\"stage.title\")} {plural('rounds', 2)} {t('diff.title')}</h1>;";

    fn said(en: &str, de: &str, page: &str) -> Vec<String> {
        let files = [
            ("web/src/i18n/en.ts", en),
            ("web/src/i18n/zh-CN.ts", de),
            ("web/src/i18n/pages/en.ts", "export const words = { \"diff.title\": \"Diff\" };"),
            ("web/src/i18n/pages/de.ts", "export const words = { 'diff.title': 'Unterschiede' };"),
            ("web/src/i18n/index.ts", "const all = { \"stage.old\": 1 };"),
            ("web/src/stage/Stage.tsx", page),
            ("web/src/stage/Stage.test.tsx", "t(\"stage.old\")"),
        ];
        orphans(rule, &files)
    }

    #[test]
    fn texts_that_are_shown_and_translated_are_good() {
        assert_eq!(said(EN, EN, PAGE), Vec::<String>::new());
        assert_eq!(orphans(rule, &[("README.md", "")]), Vec::<String>::new());
    }

    #[test]
    fn a_text_that_nothing_asks_for_is_named() {
        let en = EN.replace("\"rounds.one\"", "\"stage.old\": \"Gone\",\n\"rounds.one\"");
        assert_eq!(said(&en, &en, PAGE), ["web/src/i18n/en.ts:4: `stage.old` is asked for by nothing in web/src"]);
    }

    #[test]
    fn a_language_that_is_still_to_be_translated_is_named_once() {
        assert_eq!(
            said(EN, "import { en } from './en'; export const words = en;", PAGE),
            ["web/src/i18n/zh-CN.ts: nothing of web/src/i18n/en.ts is translated"]
        );
        assert_eq!(orphans(rule, &[("web/src/main.tsx", "")]), ["web/src/i18n: no en.ts in here"]);
    }

    #[test]
    fn a_language_with_other_texts_is_named() {
        assert_eq!(
            said(EN, &EN.replace("stage.title", "stage.titel"), PAGE),
            [
                "web/src/i18n/zh-CN.ts: `stage.title` is missing",
                "web/src/i18n/zh-CN.ts:3: `stage.titel` is not in web/src/i18n/en.ts"
            ]
        );
    }
}
