//! Where the schema files come from: the copy inside the binary, or a folder.

use std::fs;
use std::path::Path;

use include_dir::{Dir, DirEntry, include_dir};

use crate::Failure;

static EMBEDDED_TOPICS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../schemas/topics");
static EMBEDDED_CLICKHOUSE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../schemas/clickhouse");

/// One file of `schemas/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFile {
    /// Its name, of a file of the baseline with its folder: `events/syslog.sql`.
    pub name: String,
    /// Content.
    pub text: String,
}

/// What `tocsin schema` reads, each list ordered by name.
#[derive(Debug)]
pub struct SchemaFiles {
    /// `schemas/topics/*`.
    pub topics: Vec<SchemaFile>,
    /// `schemas/clickhouse/<what it tells>/*`.
    pub baseline: Vec<SchemaFile>,
    /// `schemas/clickhouse/migrations/*`.
    pub migrations: Vec<SchemaFile>,
    /// `schemas/clickhouse/questions/*`.
    pub questions: Vec<SchemaFile>,
}

impl SchemaFiles {
    /// The files of `folder`, or those that this binary was built with.
    pub fn load(folder: Option<&Path>) -> Result<Self, Failure> {
        let (topics, clickhouse) = match folder {
            Some(folder) => (read_folder(&folder.join("topics"))?, read_folder(&folder.join("clickhouse"))?),
            None => (embedded(&EMBEDDED_TOPICS)?, embedded(&EMBEDDED_CLICKHOUSE)?),
        };
        let mut files = Self { topics, baseline: Vec::new(), migrations: Vec::new(), questions: Vec::new() };
        for SchemaFile { name, text } in clickhouse {
            let (list, name) = match name.split_once('/') {
                Some(("migrations", name)) => (&mut files.migrations, name.to_owned()),
                Some(("questions", name)) => (&mut files.questions, name.to_owned()),
                _ => (&mut files.baseline, name),
            };
            list.push(SchemaFile { name, text });
        }
        Ok(files)
    }
}

/// Text for people, and what an editor leaves while it is open.
fn is_not_schema(name: &str) -> bool {
    name.starts_with('.') || name.ends_with(".md")
}

fn embedded(folder: &Dir<'_>) -> Result<Vec<SchemaFile>, Failure> {
    let mut files = Vec::new();
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(folder) => files.extend(embedded(folder)?),
            DirEntry::File(file) if is_not_schema(&file.path().file_name().unwrap_or_default().to_string_lossy()) => {}
            DirEntry::File(file) => files.push(text_file(&file.path().to_string_lossy(), file.contents().to_vec())?),
        }
    }
    Ok(sorted(files))
}

fn read_folder(folder: &Path) -> Result<Vec<SchemaFile>, Failure> {
    let unreadable = |path: &Path, error: std::io::Error| {
        Failure::usage(
            format!("cannot read {}: {error}", path.display()),
            "point --schemas at the repository's schemas folder, or leave it out to use the files inside the binary",
        )
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, error))? {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if is_not_schema(&name) {
            continue;
        }
        if path.is_dir() {
            files.extend(read_folder(&path)?.into_iter().map(|file| SchemaFile { name: format!("{name}/{}", file.name), text: file.text }));
        } else {
            files.push(text_file(&name, fs::read(&path).map_err(|error| unreadable(&path, error))?)?);
        }
    }
    Ok(sorted(files))
}

fn text_file(name: &str, bytes: Vec<u8>) -> Result<SchemaFile, Failure> {
    let text =
        String::from_utf8(bytes).map_err(|error| Failure::usage(format!("{name} is not UTF-8: {error}"), "save the file as UTF-8 text"))?;
    Ok(SchemaFile { name: name.to_owned(), text })
}

fn sorted(mut files: Vec<SchemaFile>) -> Vec<SchemaFile> {
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_carries_the_files_of_the_repository() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
        let from_folder = SchemaFiles::load(Some(&repository)).unwrap();
        let from_binary = SchemaFiles::load(None).unwrap();
        assert_eq!(from_binary.topics, from_folder.topics);
        assert_eq!(from_binary.baseline, from_folder.baseline);
        assert_eq!(from_binary.migrations, from_folder.migrations);
        assert_eq!(from_binary.questions, from_folder.questions);
        assert!(!from_binary.topics.is_empty() && !from_binary.questions.is_empty());
        assert!(from_binary.baseline.iter().any(|file| file.name == "events/syslog.sql"));
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let failure = SchemaFiles::load(Some(Path::new("/nonexistent"))).unwrap_err().to_string();
        assert!(failure.contains("/nonexistent/topics") && failure.contains("--schemas"), "{failure}");
    }
}
