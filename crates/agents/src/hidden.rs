//! Names of files and folders that are not the work, wherever they lie in a project.

/// Folders of programs that keep the work, by name, at any depth.
const OURS: &[&str] = &[".git", ".tribunal"];
/// Where keys are kept by custom. Nobody wants them in a prompt.
const SECRET: &[&str] = &[".aws", ".env", ".gnupg", ".netrc", ".npmrc", ".pypirc", ".ssh"];

/// Whether a file or folder of this name is not to be read. Some file systems do not tell cases apart.
pub fn is_hidden(name: &str) -> bool {
    let name = name.to_lowercase();
    OURS.contains(&name.as_str()) || SECRET.contains(&name.as_str()) || name.starts_with(".env.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_stores_are_hidden_and_settings_are_not() {
        for name in [".git", ".GIT", ".tribunal", ".env", ".env.local", ".Env.production", ".ssh", ".npmrc"] {
            assert!(is_hidden(name), "{name}");
        }
        for name in [".github", ".gitignore", ".envrc.md", "env", "tribunal", ".editorconfig", "a.env"] {
            assert!(!is_hidden(name), "{name}");
        }
    }
}
