//! What is said of the loops elsewhere agrees with the registry.

use std::fs;
use std::path::PathBuf;
use tribunal_kernel::loops::{LOOPS, LoopTitle};

#[test]
fn the_page_calls_every_loop_by_its_title() {
    for kind in LOOPS {
        let LoopTitle { en, de, ja, ko, zh_cn, zh_tw } = kind.def().title;
        for (locale, title) in [("en", en), ("de", de), ("ja", ja), ("ko", ko), ("zh-CN", zh_cn), ("zh-TW", zh_tw)] {
            let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../web/src/i18n/{locale}.ts"));
            let words = fs::read_to_string(path).unwrap();
            let line = format!("\n  'loop.{kind}': '{title}',\n");
            assert!(words.contains(&line), "web/src/i18n/{locale}.ts has no line `{}`", line.trim());
        }
    }
}
