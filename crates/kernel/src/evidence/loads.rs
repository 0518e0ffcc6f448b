//! Which files a source file loads, and which an output says are not there.

use super::source::{SourceLanguage, without_comments};

/// What lines have before the name of something that is not there.
const MISSING: [&str; 12] = [
    "No module named ",
    "cannot import name ",
    "Cannot find module ",
    "Cannot find package ",
    "Failed to resolve import ",
    "Failed to load url ",
    "No such file or directory: ",
    "no such file or directory, ",
    "could not import ",
    "no required module provides package ",
    "no non-test Go files in ",
    "package ",
];

/// Whether the text of a file loads another one: a line that includes something names it, in what is no comment.
pub(super) fn loads(own: &str, text: &str, path: &str) -> bool {
    let Some(language) = SourceLanguage::of(own) else { return false };
    let wanted = module_of(path);
    let text = without_comments(language, text);
    let includes = |line: &&str| match language {
        // Its imports are strings in a list.
        SourceLanguage::Go => line.contains('"'),
        _ => ["import", "from ", "require", "include", "export", "mod "].iter().any(|word| line.contains(word)),
    };
    text.lines().filter(includes).any(|line| has_word(line, wanted))
}

/// Whether an output says that a file is not there.
pub(super) fn is_told_missing(printed: &str, path: &str) -> bool {
    let told = |line: &str, said: &&str| {
        let (_, rest) = line.split_once(*said)?;
        if *said == "package " && !rest.contains(" is not in std") {
            return None;
        }
        Some(is_so_called(rest, *said == "cannot import name ", path))
    };
    printed.lines().any(|line| MISSING.iter().any(|said| told(line, said) == Some(true)))
}

/// Whether the name at the beginning of a text is a file's.
fn is_so_called(text: &str, is_part: bool, path: &str) -> bool {
    // Node says what it did with it.
    let text = ["open ", "stat ", "lstat ", "scandir "].iter().find_map(|did| text.strip_prefix(did)).unwrap_or(text);
    let mut names = text.split(['\'', '"', '`']);
    let first = names.next().unwrap_or_default().trim();
    let name = if first.is_empty() { names.next().unwrap_or_default() } else { first };
    let name = name.split([' ', ';', ':', ',']).next().unwrap_or(name);
    if SourceLanguage::of(path) == Some(SourceLanguage::Python) && !name.contains('/') {
        // `cannot import name 'grammar' from 'spec'`
        let owner = if is_part { names.nth(1).map(|owner| format!("{owner}.")) } else { None };
        let name = owner.unwrap_or_default() + name;
        let module = path.trim_end_matches(".py").trim_end_matches("/__init__").replace('/', ".");
        let ends = module.strip_suffix(&name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        return !name.is_empty() && (ends || module.strip_prefix(&name).is_some_and(|rest| rest.starts_with('.')));
    }
    let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
    let wanted = module_of(path);
    !wanted.is_empty() && (last == wanted || last.split('.').next() == Some(wanted))
}

/// Whether a file of Go defines what an output says is not defined: its tests name no files.
pub(super) fn defines(path: &str, text: &str, printed: &str) -> bool {
    if SourceLanguage::of(path) != Some(SourceLanguage::Go) {
        return false;
    }
    let missing = printed.lines().filter_map(|line| line.split_once("undefined: ")).map(|(_, name)| name.trim());
    let missing: Vec<&str> = missing.map(|name| name.split(['"', '\\']).next().unwrap_or(name)).collect();
    let text = without_comments(SourceLanguage::Go, text);
    let defined = |line: &str, name: &str| {
        let rest = ["func ", "type ", "var ", "const "].iter().find_map(|word| line.strip_prefix(word));
        let rest = rest.and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    text.lines().any(|line| missing.iter().any(|name| !name.is_empty() && defined(line, name)))
}

/// What others call a file when they load it: its name, or its folder's where it stands for that.
fn module_of(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let is_folder =
        matches!(stem, "__init__" | "index" | "mod") || SourceLanguage::of(path) == Some(SourceLanguage::Go);
    let folder = folder.rsplit('/').next().unwrap_or_default();
    if is_folder && !folder.is_empty() { folder } else { stem }
}

fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    line.split(|c| !is_part(c)).any(|other| other == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_loaded_by_code_and_not_by_a_remark() {
        for (own, text, path, expected) in [
            ("a.py", "import tests.helper\n", "tests/helper.py", true),
            ("a.py", "from spec import grammar\n", "spec/grammar.py", true),
            ("a.py", "# import helper\n", "tests/helper.py", false),
            ("a.py", "x = 1  # see import helper\n", "tests/helper.py", false),
            ("a.py", "\"\"\"\nimport helper\n\"\"\"\n", "tests/helper.py", false),
            ("a.py", "import helpers\n", "tests/helper.py", false),
            ("a.py", "import tests\n", "tests/__init__.py", true),
            ("a.js", "const a = require('./spec/a-b.js');\n", "spec/a-b.js", true),
            ("a.js", "import {\n  b,\n} from './spec/a-b.js';\n", "spec/a-b.js", true),
            ("a.js", "// require('./spec/a')\n", "spec/a.js", false),
            ("a.js", "/* require('./spec/a') */\n", "spec/a.js", false),
            ("a.go", "import (\n\t\"calc/spec\"\n)\n", "spec/grammar.go", true),
            ("a.go", "// \"calc/spec\"\n", "spec/grammar.go", false),
        ] {
            assert_eq!(loads(own, text, path), expected, "{own}: {text}");
        }
    }

    #[test]
    fn an_output_tells_what_is_not_there() {
        for (printed, path, expected) in [
            ("ModuleNotFoundError: No module named 'tests.helper'\n", "tests/helper.py", true),
            ("ModuleNotFoundError: No module named 'calc'\n", "tests/helper.py", false),
            ("Error: Cannot find module './spec/a'\n", "spec/a.js", true),
            ("helper: 1 != 2\n", "tests/helper.py", false),
            ("ModuleNotFoundError: No module named 'spec'\n", "spec/grammar.py", true),
            ("ImportError: cannot import name 'grammar' from 'spec' (/x/spec/__init__.py)\n", "spec/grammar.py", true),
            // What a program lacks is not another one of its name.
            ("ModuleNotFoundError: No module named 'calc.shop'\n", "tests/calc.py", false),
            ("ImportError: cannot import name 'divide' from 'calc' (/x/calc.py)\n", "tests/calc.py", false),
            ("AttributeError: module 'calc' has no attribute 'divide'\n", "tests/calc.py", false),
            ("FileNotFoundError: [Errno 2] No such file or directory: 'tests/data.py'\n", "tests/data.py", true),
            ("a.go:3:8: package calc/spec is not in std (/usr/lib/go/src/calc/spec)\n", "spec/grammar.go", true),
            ("a test of package spec failed\n", "spec/grammar.go", false),
            ("Error: ENOENT: no such file or directory, open 'test/x.js'\n", "test/x.js", true),
        ] {
            assert_eq!(is_told_missing(printed, path), expected, "{printed}");
        }
        let text = "package calc\n\nfunc newShop() int { return 1 }\n";
        assert!(defines("a_test.go", text, "./calc_test.go:5:7: undefined: newShop\n"));
        assert!(defines("a_test.go", text, "{\"Output\":\"./calc_test.go:5:7: undefined: newShop\\n\"}\n"));
        assert!(!defines("a_test.go", text, "undefined: newShops\n"));
    }
}
