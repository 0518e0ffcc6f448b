//! The home that checks have: their own, writable, with what the user downloaded below it.
//!
//! # What was decided
//! - **Nothing that a check writes is seen by another tree.** Each tree has a home of its own, as it has a checkout of its
//!   own, and both are thrown away together. A build cache that persisted would be written by the code under trial, and
//!   what compilers and runners find in a cache they believe.
//! - **What persists is what `setup` made**, from the base and the lock files (see [`super::setup`]), and Go's standard
//!   library (see [`super::go_cache`]). Each home begins as a copy of that.
//! - **What the user downloaded is read where it is**, through links, and a sandbox keeps it from being written: packages
//!   that are named by their digests, so that it does not matter whose download it was. What the user *built* (`go-build`,
//!   compiler caches) is not shown.
//! - Without a sandbox a link can be written through, as everything of the user's can.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tribunal_agents::Environment;

use crate::sandbox::is_secret_line;

/// Where tools themselves are, which find them by the home otherwise: a variable, and its usual place below the home.
const TOOLS: [(&str, &str); 22] = [
    ("RUSTUP_HOME", ".rustup"),
    ("PYENV_ROOT", ".pyenv"),
    ("RBENV_ROOT", ".rbenv"),
    ("NODENV_ROOT", ".nodenv"),
    ("GOENV_ROOT", ".goenv"),
    ("NVM_DIR", ".nvm"),
    ("FNM_DIR", ".local/share/fnm"),
    ("VOLTA_HOME", ".volta"),
    ("ASDF_DIR", ".asdf"),
    ("ASDF_DATA_DIR", ".asdf"),
    ("MISE_DATA_DIR", ".local/share/mise"),
    ("SDKMAN_DIR", ".sdkman"),
    ("BUN_INSTALL", ".bun"),
    ("PNPM_HOME", ".local/share/pnpm"),
    ("COREPACK_HOME", ".cache/node/corepack"),
    ("PYTHONUSERBASE", ".local"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"),
    ("UV_TOOL_DIR", ".local/share/uv/tools"),
    ("PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright"),
    ("PUPPETEER_CACHE_DIR", ".cache/puppeteer"),
    ("NLTK_DATA", "nltk_data"),
    ("HF_HOME", ".cache/huggingface"),
];
/// Variables that say where tools are and have no usual place.
const PLACES: [&str; 4] = ["GOROOT", "JAVA_HOME", "DOTNET_ROOT", "ANDROID_HOME"];
/// Caches of downloads: a variable, its usual place in a home, and what the user's may be called, or begin with. What is in
/// the user's is linked to one by one, so that the folder itself can be written. What tools keep beside it for themselves
/// (what uv knows of interpreters, what it built) is not there: they write it while they run.
const DOWNLOADS: [(&str, &str, &[&str]); 5] = [
    ("npm_config_cache", ".npm", &["_cacache"]),
    ("PIP_CACHE_DIR", ".cache/pip", &["http", "http-v2", "wheels"]),
    ("UV_CACHE_DIR", ".cache/uv", &["archive-v*", "wheels-v*", "simple-v*", "flat-index-v*", "git-v*"]),
    ("YARN_CACHE_FOLDER", ".cache/yarn", &["v6"]),
    ("XDG_CACHE_HOME", ".cache", &[]),
];
/// What keeps tools from waiting for a network that is closed.
const OFFLINE: [(&str, &str); 8] = [
    ("CARGO_NET_OFFLINE", "true"),
    ("GOPROXY", "off"),
    ("GOTOOLCHAIN", "local"),
    ("PIP_NO_INDEX", "1"),
    ("UV_OFFLINE", "1"),
    ("npm_config_offline", "true"),
    ("npm_config_update_notifier", "false"),
    ("YARN_ENABLE_NETWORK", "0"),
];
/// How the network is reached, and whom packages come from. A value with a password in it stays behind.
const NETWORK: [&str; 26] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "CARGO_HTTP_CAINFO",
    "GIT_SSL_CAINFO",
    "PIP_CERT",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "UV_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "UV_FIND_LINKS",
    "npm_config_registry",
    "NPM_CONFIG_REGISTRY",
    "GOPROXY",
    "GOSUMDB",
];
/// Settings of tools, taken over without the lines that hold a secret.
const SETTINGS: [&str; 3] = [".npmrc", ".config/pip/pip.conf", ".pip/pip.conf"];
/// Parts of cargo's home that hold what was downloaded, in folders of registries or repositories.
const CARGO: [&str; 2] = ["registry/cache", "registry/src"];
const CARGO_WHOLE: [&str; 3] = ["registry/index", "git/db", "git/checkouts"];
/// Tests that commit something want to know who they are.
const GIT: &str = "[user]\n\tname = Tribunal\n\temail = tribunal@localhost\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n";

/// What homes of checks are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckHome {
    /// The user's own home.
    user: PathBuf,
    /// The user's variables that say where tools and downloads are.
    known: BTreeMap<String, String>,
    /// Where things are kept that later runs use again.
    pub(super) cache: PathBuf,
    /// What the project is called there.
    pub(super) project: String,
    /// Commands that prepare a checkout, once for every state of the lock files.
    pub(super) setup: Vec<String>,
}

/// One home, furnished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Furnished {
    pub(super) path: PathBuf,
    /// What points tools to it.
    pub(super) env: Vec<(String, String)>,
}

impl CheckHome {
    /// Homes for the checks of one project. What is made once is kept in `cache`, below the project's name there where it
    /// belongs to the project. Nothing, where the user has no home.
    pub fn new(environment: &Environment, cache: PathBuf, project: String, setup: Vec<String>) -> Option<Self> {
        let user = PathBuf::from(environment.get("HOME")?).canonicalize().ok()?;
        let tools = TOOLS.iter().map(|(name, _)| *name).chain(PLACES);
        let names = tools.chain(NETWORK).chain(["CARGO_HOME", "GOPATH", "GOMODCACHE"]);
        let names = names.chain(DOWNLOADS.iter().map(|(name, ..)| *name));
        let known = names.filter_map(|name| Some((name.to_owned(), environment.get(name)?.to_owned()))).collect();
        Some(Self { user, known, cache, project, setup })
    }

    /// The user's own home.
    pub fn user(&self) -> &Path {
        &self.user
    }

    /// Makes a home in a folder that is new, or has what `setup` left there; `made` is the home that `setup` left.
    pub(super) fn furnish(&self, path: PathBuf, network: bool, made: Option<&Path>) -> io::Result<Furnished> {
        fs::create_dir_all(&path)?;
        let mut env = BTreeMap::new();
        let mut set = |name: &str, value: &Path| env.insert(name.to_owned(), value.to_string_lossy().into_owned());
        set("HOME", &path);
        for (name, below) in [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("GOPATH", "go"),
            ("GOCACHE", ".cache/go-build"),
            ("CARGO_HOME", ".cargo"),
            ("DENO_DIR", ".cache/deno"),
            ("CCACHE_DIR", ".cache/ccache"),
            ("SCCACHE_DIR", ".cache/sccache"),
        ] {
            fs::create_dir_all(path.join(below))?;
            set(name, &path.join(below));
        }
        for (name, below) in TOOLS {
            if let Some(found) = self.place_of(name, below) {
                set(name, &found);
            }
        }
        for name in PLACES {
            if let Some(found) = self.known.get(name) {
                set(name, Path::new(found));
            }
        }
        for (name, below, parts) in DOWNLOADS {
            let own = path.join(below);
            fs::create_dir_all(&own)?;
            set(name, &own);
            // With the network open a tool writes what it downloads between what is there.
            if let Some(found) = self.place_of(name, below).filter(|_| !network) {
                let is_wanted = |part: &OsString| parts.iter().any(|wanted| is_like(part, wanted));
                for part in names(&found).into_iter().filter(is_wanted).filter(|part| found.join(part).is_dir()) {
                    link(&found.join(&part), &own.join(&part))?;
                }
            }
        }
        self.furnish_cargo(&path.join(".cargo"), network, made)?;
        let modules = made.map(|made| made.join("go/pkg/mod")).filter(|modules| modules.is_dir());
        let users = self.place_of("GOMODCACHE", "go/pkg/mod").or_else(|| {
            let first = self.known.get("GOPATH")?.split(':').next()?.to_owned();
            Some(PathBuf::from(first).join("pkg/mod")).filter(|modules| modules.is_dir())
        });
        match modules.or(users.clone()).filter(|_| !network) {
            Some(modules) => set("GOMODCACHE", &modules),
            None => set("GOMODCACHE", &path.join("go/pkg/mod")),
        };
        for name in SETTINGS {
            if let Ok(text) = fs::read_to_string(self.user.join(name)) {
                let kept: Vec<&str> = text.lines().filter(|line| !is_secret_line(line)).collect();
                let own = path.join(name);
                fs::create_dir_all(own.parent().unwrap_or(&path))?;
                fs::write(own, kept.join("\n") + "\n")?;
            }
        }
        fs::write(path.join(".gitconfig"), GIT)?;
        // A hard link to a download could be written through.
        env.insert("UV_LINK_MODE".to_owned(), "copy".to_owned());
        if network {
            let open = NETWORK.iter().filter_map(|name| Some(((*name).to_owned(), self.known.get(*name)?.clone())));
            env.extend(open.filter(|(_, value)| !is_secret_line(value)));
            // Modules that the user has need not be downloaded again.
            let proxy = env.get("GOPROXY").cloned().unwrap_or_else(|| "https://proxy.golang.org,direct".to_owned());
            if let Some(users) = users.map(|users| users.join("cache/download")).filter(|users| users.is_dir()) {
                env.insert("GOPROXY".to_owned(), format!("file://{},{proxy}", users.display()));
            }
        } else {
            env.extend(OFFLINE.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        Ok(Furnished { path, env: env.into_iter().collect() })
    }

    /// A home of cargo's with the crates that were downloaded: linked one by one, so that others can be unpacked beside;
    /// or a whole registry at once, where nothing can be added to it. Users have thousands of them, and every tree gets a home.
    fn furnish_cargo(&self, own: &Path, network: bool, made: Option<&Path>) -> io::Result<()> {
        let users = self.place_of("CARGO_HOME", ".cargo");
        let made = made.map(|made| made.join(".cargo")).filter(|made| made.is_dir());
        for part in CARGO {
            for source in made.iter().chain(&users) {
                for registry in names(&source.join(part)) {
                    let folder = own.join(part).join(&registry);
                    if !network && made.is_none() && is_unpacked(source, &registry) {
                        fs::create_dir_all(own.join(part))?;
                        link(&source.join(part).join(&registry), &folder)?;
                        continue;
                    }
                    fs::create_dir_all(&folder)?;
                    for name in names(&source.join(part).join(&registry)) {
                        link(&source.join(part).join(&registry).join(&name), &folder.join(&name))?;
                    }
                }
            }
        }
        // Indexes and clones are one whole each, and fetched anew where there is a network.
        for part in CARGO_WHOLE.iter().filter(|_| !network) {
            for source in made.iter().chain(&users) {
                for name in names(&source.join(part)) {
                    fs::create_dir_all(own.join(part))?;
                    link(&source.join(part).join(&name), &own.join(part).join(&name))?;
                }
            }
        }
        // A checkout below the user's home finds their settings on its way up, and would join two of the same.
        let Some(users) = users.filter(|users| !own.starts_with(users.parent().unwrap_or(users))) else {
            return Ok(());
        };
        match fs::read_to_string(users.join("config.toml")) {
            Ok(text) => {
                let kept: Vec<&str> = text.lines().filter(|line| !is_secret_line(line)).collect();
                fs::write(own.join("config.toml"), kept.join("\n") + "\n")
            }
            Err(_) => Ok(()),
        }
    }

    /// A folder of the user's: by its variable, or where it usually is. Only if it is there.
    fn place_of(&self, variable: &str, below: &str) -> Option<PathBuf> {
        let usual = || self.user.join(below);
        self.known.get(variable).map_or_else(usual, PathBuf::from).canonicalize().ok().filter(|path| path.is_dir())
    }
}

/// Whether every crate that was downloaded from a registry is unpacked, too: then cargo writes nothing beside them.
fn is_unpacked(cargo: &Path, registry: &OsStr) -> bool {
    let [cache, src] = CARGO.map(|part| cargo.join(part).join(registry));
    names(&cache).iter().all(|name| {
        let krate = name.to_str().and_then(|name| name.strip_suffix(".crate"));
        krate.is_some_and(|krate| src.join(krate).join(".cargo-ok").exists())
    })
}

/// Whether a name is what is wanted, or begins like it.
fn is_like(name: &OsStr, wanted: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(begins) => name.to_str().is_some_and(|name| name.starts_with(begins)),
        None => name == wanted,
    }
}

fn names(folder: &Path) -> Vec<OsString> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
}

/// Links to what is there, unless something is already in the way.
fn link(to: &Path, from: &Path) -> io::Result<()> {
    match symlink(to, from) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home_of(user: &Path, more: &[(&str, &str)]) -> CheckHome {
        let own = [("HOME".to_owned(), user.to_string_lossy().into_owned())];
        let more = more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        CheckHome::new(&Environment::new(own.into_iter().chain(more)), user.join("kept"), "p".into(), Vec::new())
            .unwrap()
    }

    fn value<'a>(furnished: &'a Furnished, name: &str) -> Option<&'a str> {
        furnished.env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    #[test]
    fn what_was_downloaded_is_there_and_what_is_secret_or_was_built_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let user = folder.path().canonicalize().unwrap().join("user");
        for (path, text) in [
            (".cargo/registry/cache/index.crates.io-1/a-1.0.0.crate", "a"),
            (".cargo/registry/src/index.crates.io-1/a-1.0.0/lib.rs", "a"),
            (".cargo/registry/index/index.crates.io-1/config.json", "{}"),
            (".cargo/credentials.toml", "token"),
            (".cargo/config.toml", "[net]\nretry = 3\n[registry]\ntoken = \"x\"\n"),
            (".npm/_cacache/content-v2/x", "x"),
            (".npmrc", "registry=https://mirror.example.org/\n//mirror.example.org/:_authToken=x\n"),
            (".cache/go-build/00/x", "poison"),
            (".cache/uv/archive-v0/x/y", "x"),
            (".cache/uv/interpreter-v4/x", "x"),
            (".cache/uv/sdists-v9/x", "built"),
            ("go/pkg/mod/cache/download/x", "x"),
            (".rustup/settings.toml", ""),
        ] {
            fs::create_dir_all(user.join(path).parent().unwrap()).unwrap();
            fs::write(user.join(path), text).unwrap();
        }
        let home = home_of(&user, &[("HTTPS_PROXY", "http://me:pw@proxy"), ("NO_PROXY", "localhost")]);
        let own = folder.path().canonicalize().unwrap().join("own");
        let made = home.furnish(own.clone(), false, None).unwrap();
        for path in [
            ".cargo/registry/cache/index.crates.io-1/a-1.0.0.crate",
            ".cargo/registry/src/index.crates.io-1/a-1.0.0/lib.rs",
            ".cargo/registry/index/index.crates.io-1/config.json",
            ".npm/_cacache/content-v2/x",
            ".cache/uv/archive-v0/x/y",
        ] {
            assert!(own.join(path).is_file(), "{path}");
        }
        let registry = |part: &str| own.join(".cargo/registry").join(part).join("index.crates.io-1");
        assert!(
            registry("src").is_dir() && !registry("src").is_symlink(),
            "one that is not whole has to be written to"
        );
        for path in [".cargo/credentials.toml", ".cache/go-build/00", ".cache/uv/interpreter-v4", ".cache/uv/sdists-v9"]
        {
            assert!(!own.join(path).exists(), "{path}");
        }
        let read = |name: &str| fs::read_to_string(own.join(name)).unwrap();
        assert_eq!(read(".npmrc"), "registry=https://mirror.example.org/\n");
        assert_eq!(read(".cargo/config.toml"), "[net]\nretry = 3\n[registry]\n");
        assert_eq!(value(&made, "HOME"), own.to_str());
        assert_eq!(value(&made, "RUSTUP_HOME"), user.join(".rustup").to_str());
        assert_eq!(value(&made, "GOMODCACHE"), user.join("go/pkg/mod").to_str());
        assert_eq!(value(&made, "UV_LINK_MODE"), Some("copy"));
        assert_eq!(value(&made, "GOCACHE"), own.join(".cache/go-build").to_str());
        assert_eq!((value(&made, "CARGO_NET_OFFLINE"), value(&made, "GOPROXY")), (Some("true"), Some("off")));
        assert_eq!((value(&made, "NO_PROXY"), value(&made, "PYENV_ROOT")), (None, None));

        // A registry in which everything is unpacked is linked to as it is.
        fs::write(user.join(".cargo/registry/src/index.crates.io-1/a-1.0.0/.cargo-ok"), "").unwrap();
        let own = folder.path().canonicalize().unwrap().join("whole");
        home.furnish(own.clone(), false, None).unwrap();
        for part in ["src", "cache"] {
            assert!(own.join(".cargo/registry").join(part).join("index.crates.io-1").is_symlink(), "{part}");
        }
        assert!(own.join(".cargo/registry/src/index.crates.io-1/a-1.0.0/lib.rs").is_file());

        // With a network, what a tool writes is its own, and a password in an address stays behind.
        let own = folder.path().canonicalize().unwrap().join("open");
        let open = home.furnish(own.clone(), true, None).unwrap();
        assert!(own.join(".cargo/registry/cache/index.crates.io-1/a-1.0.0.crate").is_file());
        assert!(!own.join(".cargo/registry/index").exists() && !own.join(".npm/_cacache").exists());
        assert_eq!(value(&open, "GOMODCACHE"), own.join("go/pkg/mod").to_str());
        assert!(value(&open, "GOPROXY").unwrap().starts_with("file://"), "{open:?}");
        assert_eq!((value(&open, "NO_PROXY"), value(&open, "HTTPS_PROXY")), (Some("localhost"), None));
    }

    #[test]
    fn a_user_without_anything_still_gets_a_home_for_checks() {
        let folder = tempfile::tempdir().unwrap();
        let user = folder.path().canonicalize().unwrap();
        let made = home_of(&user, &[]).furnish(user.join("own"), false, None).unwrap();
        assert_eq!(value(&made, "RUSTUP_HOME"), None);
        assert_eq!(value(&made, "GOMODCACHE"), user.join("own/go/pkg/mod").to_str());
        let nowhere = Environment::new([("HOME".to_owned(), "/no/such/home".to_owned())]);
        assert_eq!(CheckHome::new(&nowhere, user.join("kept"), "p".into(), Vec::new()), None);
    }
}
