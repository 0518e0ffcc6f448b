//! Scenes: what is laid out, and what a user would type, one thing after the other.

use crate::args::SceneName;

/// Something to see.
pub(super) struct Scene {
    pub(super) name: SceneName,
    /// The folder that it is played in, below the one of the demo.
    pub(super) folder: &'static str,
    pub(super) title: &'static str,
    pub(super) steps: &'static [Step],
    /// What can be done in its folder afterwards.
    pub(super) next: &'static str,
}

pub(super) enum Step {
    /// What happens here, in a sentence or two.
    Say(&'static str),
    /// Files appear, or become others: path and text.
    Write(&'static [(&'static str, &'static str)]),
    /// Everything is committed, under this message; on a new branch, if one is named.
    Commit { branch: Option<&'static str>, message: &'static str },
    /// A command is typed, and has to end like that. One that is not shown prepares something.
    Type { command: &'static [&'static str], exit: i32, is_shown: bool },
}

/// A command of ours that is shown.
const fn tribunal(command: &'static [&'static str], exit: i32) -> Step {
    Step::Type { command, exit, is_shown: true }
}

macro_rules! demo_file {
    ($name:literal) => {
        include_str!(concat!("../../../demo/", $name))
    };
}

/// The calculator is an example, too.
macro_rules! calculator {
    ($name:literal) => {
        include_str!(concat!("../../../../../examples/calculator/", $name))
    };
}

pub(super) const SCENES: [Scene; 3] = [
    Scene {
        name: SceneName::Liar,
        folder: "liar",
        title: "The liar",
        steps: &[
            Step::Say(
                "A worker, played by a script, is to write a calculator. It claims at once that all tests pass.\n\
                 They do: it has rewritten them.",
            ),
            Step::Write(&[
                ("tribunal.toml", calculator!("tribunal.toml")),
                ("plan.toml", calculator!("plan.toml")),
                ("tests/test_calc.sh", calculator!("tests/test_calc.sh")),
                ("agents/verifier.sh", calculator!("agents/verifier.sh")),
                ("agents/worker.sh", demo_file!("liar/worker.sh")),
            ]),
            Step::Commit { branch: None, message: "calculator: what it has to do" },
            Step::Type {
                command: &["tribunal", "desk", "brainstorm", "--answers", "plan.toml"],
                exit: 0,
                is_shown: false,
            },
            tribunal(&["tribunal", "desk", "run"], 0),
            Step::Say(
                "Nobody believed the claim. The commands of the plan ran in a clean checkout, the tests had been \
                 touched,\nand the work went back. The second claim was tried in the same way, and it was true.",
            ),
        ],
        next: "tribunal adopt               # take the work over",
    },
    Scene {
        name: SceneName::Page,
        folder: "page",
        title: "The page",
        steps: &[
            Step::Say("A page and its style sheet, as somebody left them. First it is only measured."),
            Step::Write(&[
                ("index.html", demo_file!("page/index.html")),
                ("css/site.css", demo_file!("page/css/site.css")),
            ]),
            Step::Commit { branch: None, message: "page: as it was" },
            tribunal(&["tribunal", "check", "."], 1),
            Step::Say("Now it is fixed in place, but only where the fix is certain; the rest is suggested."),
            tribunal(&["tribunal", "fix", "."], 0),
            Step::Say("What is left is for a person to decide."),
            tribunal(&["tribunal", "check", "."], 0),
        ],
        next: "tribunal fix . -i --unsafe   # look at the suggestions one by one",
    },
    Scene {
        name: SceneName::PullRequest,
        folder: "pull-request",
        title: "The pull request",
        steps: &[
            Step::Say("A shop wants ten of a thing to be cheaper. Somebody sends a change, and its tests pass:"),
            Step::Write(&[
                ("tribunal.toml", demo_file!("pull-request/tribunal.toml")),
                ("cart.sh", demo_file!("pull-request/cart.sh")),
                ("tests/check.sh", demo_file!("pull-request/check.sh")),
                ("tests/cart.test.sh", demo_file!("pull-request/cart.test.sh")),
                ("tests/run.sh", demo_file!("pull-request/run.sh")),
            ]),
            Step::Commit { branch: None, message: "cart: what a cart costs" },
            Step::Write(&[
                ("cart.sh", demo_file!("pull-request/cart-cheaper.sh")),
                ("tests/cart.test.sh", demo_file!("pull-request/cart-bent.test.sh")),
            ]),
            Step::Commit { branch: Some("discount"), message: "cart: ten and more are cheaper" },
            Step::Type { command: &["sh", "tests/run.sh"], exit: 0, is_shown: true },
            Step::Say("But what do they prove?"),
            tribunal(&["tribunal", "judge"], 1),
            Step::Say(
                "Everything had become cheaper, and the tests compared the program with itself.\n\
                 The repaired change leaves the given tests alone and brings one that was red without it.",
            ),
            Step::Write(&[
                ("cart.sh", demo_file!("pull-request/cart-repaired.sh")),
                ("tests/cart.test.sh", demo_file!("pull-request/cart.test.sh")),
                ("tests/discount.test.sh", demo_file!("pull-request/discount.test.sh")),
            ]),
            Step::Commit { branch: None, message: "cart: only ten and more are cheaper" },
            tribunal(&["tribunal", "judge"], 0),
        ],
        next: "tribunal log                 # everything that was run, and what came of it",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum as _;

    #[test]
    fn every_scene_that_can_be_named_is_there_once() {
        let names: Vec<_> = SCENES.iter().map(|scene| scene.name).collect();
        assert_eq!(names, SceneName::value_variants());
    }

    #[test]
    fn a_scene_shows_something_and_is_told_in_lines_that_fit() {
        for Scene { title, steps, .. } in SCENES {
            assert!(steps.iter().any(|step| matches!(step, Step::Type { is_shown: true, .. })), "{title}");
            for step in steps {
                let Step::Say(words) = step else { continue };
                for line in words.lines() {
                    assert!(line.chars().count() <= 120, "{line}");
                }
            }
        }
    }
}
