//! Passwords and communities of the config, which never appear in a dump or a log.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

/// What a dump writes in place of a secret.
const HIDDEN: &str = "(hidden)";
/// The community that everybody knows is no secret.
const PUBLIC: &str = "public";

/// A secret as the config gives it: the text itself, or `{file: PATH}` with the file that holds it.
#[derive(Clone, Deserialize, PartialEq, Eq)]
#[serde(untagged, deny_unknown_fields)]
pub enum Secret {
    /// The secret itself.
    Text(String),
    /// Where it stands; a line end at the end of the file does not belong to it.
    File {
        /// Relative to the config file's folder.
        file: PathBuf,
    },
}

impl Secret {
    /// The secret; the error names `key`, and the file where there is one.
    pub fn read(&self, key: &str) -> Result<Vec<u8>, String> {
        let secret = match self {
            Self::Text(text) if text == HIDDEN => {
                return Err(format!("{key} is {HIDDEN:?}, which --dump writes in place of a secret; give the secret, or {{file: PATH}}"));
            }
            Self::Text(text) => text.clone().into_bytes(),
            Self::File { file } => {
                let text = fs::read(file).map_err(|error| format!("{key}: {}: {error}; name a readable file", file.display()))?;
                text.trim_ascii_end().to_vec()
            }
        };
        if secret.is_empty() { Err(format!("{key} is empty; give the secret, or {{file: PATH}}")) } else { Ok(secret) }
    }

    /// The same secret, its file beside the config's.
    pub(crate) fn stand_beside(&mut self, folder: &Path) {
        if let Self::File { file } = self {
            *file = folder.join(&file);
        }
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) if text == PUBLIC => serializer.serialize_str(PUBLIC),
            Self::Text(_) => serializer.serialize_str(HIDDEN),
            Self::File { file } => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("file", file)?;
                map.end()
            }
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str(HIDDEN),
            Self::File { file } => write!(f, "{}", file.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_from_the_config_or_a_file_and_never_written() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("password"), "from a file\n").unwrap();
        let mut file: Secret = serde_saphyr::from_str("{file: password}").unwrap();
        file.stand_beside(folder.path());
        assert_eq!(file.read("k").unwrap(), b"from a file");
        let text: Secret = serde_saphyr::from_str("maplesyrup").unwrap();
        assert_eq!(text.read("k").unwrap(), b"maplesyrup");
        assert!(!format!("{text:?} {}", serde_saphyr::to_string(&text).unwrap()).contains("maple"));
    }

    #[test]
    fn a_secret_in_a_form_that_it_has_not_is_refused_without_telling_it() {
        for form in ["[maplesyrup]", "{file: f, maplesyrup: x}", "[[maplesyrup]]"] {
            let refused = serde_saphyr::from_str::<Secret>(form).map_err(|error| error.to_string()).unwrap_err();
            let reason = refused.lines().next().unwrap_or_default();
            assert!(!reason.contains("maplesyrup"), "{reason}");
        }
    }

    #[test]
    fn a_missing_file_and_a_dumped_secret_are_refused_with_the_key() {
        let file = Secret::File { file: "/nowhere/password".into() };
        assert!(file.read("snmp.users[0]").unwrap_err().contains("snmp.users[0]: /nowhere/password"));
        assert!(Secret::Text(HIDDEN.to_owned()).read("k").unwrap_err().contains("--dump"));
        assert!(Secret::Text(String::new()).read("k").unwrap_err().contains("empty"));
    }
}
