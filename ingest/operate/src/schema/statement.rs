//! Reads just enough of ClickHouse's SQL to tell how many statements a file holds, what they make, and whether running one twice is harmless.

/// The database whose tables the files name, as it stands before a name.
pub const READ: &str = "tocsin.";

/// The statements of `text` without comments, each with its white space reduced to single blanks outside of quotes.
pub fn statements(text: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut current = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (token, length) = next_token(rest);
        match token {
            Token::End => statements.push(std::mem::take(&mut current)),
            Token::Blank => {
                if !current.is_empty() && !current.ends_with(' ') {
                    current.push(' ');
                }
            }
            Token::Text => current.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    statements.push(current);
    statements.into_iter().map(|statement| statement.trim().to_owned()).filter(|statement| !statement.is_empty()).collect()
}

/// `CREATE TABLE IF NOT EXISTS`, `tocsin.x`, and the rest with the blank before it.
pub fn parts(statement: &str) -> (&str, &str, &str) {
    let start = statement.find(" tocsin").map_or(statement.len(), |at| at + 1);
    let end = statement[start..].find(' ').map_or(statement.len(), |length| start + length);
    (statement[..start].trim_end(), &statement[start..end], &statement[end..])
}

/// The column of the line `-- Shard: column` of a file.
pub fn shard_column(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("-- Shard: ")).map(str::trim)
}

/// The table that a statement creates.
pub fn created_table(statement: &str) -> Option<&str> {
    let (verb, name, _) = parts(statement);
    name.strip_prefix(READ).filter(|_| verb == "CREATE TABLE IF NOT EXISTS")
}

/// The table that a materialized view writes, and the one whose inserts it is made of: the first that it reads.
pub fn written_by_view(statement: &str) -> Option<(&str, &str)> {
    let (verb, _, rest) = parts(statement);
    let table = rest.strip_prefix(" TO ")?.strip_prefix(READ)?.split(' ').next()?;
    let (_, source) = rest.split_once(" FROM tocsin.")?;
    let source = source.split([' ', ')']).next()?;
    verb.contains("MATERIALIZED VIEW").then_some((table, source))
}

/// Why running `statement` twice, or in two processes at once, would not be harmless.
pub fn why_not_repeatable(statement: &str) -> Option<&'static str> {
    let words: Vec<String> = statement.split(' ').take(8).map(str::to_ascii_uppercase).collect();
    let has = |phrase: &[&str]| words.windows(phrase.len()).any(|window| window == phrase);
    match words.first().map_or("", String::as_str) {
        "CREATE" if has(&["OR", "REPLACE", "TABLE"]) => Some("CREATE OR REPLACE TABLE drops the rows that are there"),
        "CREATE" if has(&["IF", "NOT", "EXISTS"]) || has(&["OR", "REPLACE"]) => None,
        "CREATE" => Some("CREATE needs IF NOT EXISTS or OR REPLACE"),
        "DROP" if has(&["IF", "EXISTS"]) => None,
        "DROP" => Some("DROP needs IF EXISTS"),
        "ALTER"
            if ["ADD", "DROP", "RENAME"].iter().any(|verb| has(&[verb])) && !has(&["IF", "EXISTS"]) && !has(&["IF", "NOT", "EXISTS"]) =>
        {
            Some("ALTER that adds, drops or renames needs IF NOT EXISTS or IF EXISTS")
        }
        "ALTER" => None,
        _ => Some("only CREATE, ALTER and DROP can be repeated safely"),
    }
}

/// `sql` with `change` made to what stands outside of quotes.
pub fn outside_quotes(sql: &str, change: impl Fn(&str) -> String) -> String {
    let mut changed = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(start) = rest.find(['\'', '"', '`']) {
        let end = start + quoted(&rest[start..]);
        changed.push_str(&change(&rest[..start]));
        changed.push_str(&rest[start..end]);
        rest = &rest[end..];
    }
    changed + &change(rest)
}

enum Token {
    /// Part of a statement, taken as it is.
    Text,
    /// White space or a comment.
    Blank,
    /// A semicolon.
    End,
}

/// The token at the start of `rest`, which is not empty, and its length in bytes.
fn next_token(rest: &str) -> (Token, usize) {
    let until = |end: &str| rest.find(end).map_or(rest.len(), |at| at + end.len());
    let first = rest.chars().next().unwrap_or(' ');
    match first {
        ';' => (Token::End, 1),
        '\'' | '"' | '`' => (Token::Text, quoted(rest)),
        _ if rest.starts_with("--") || rest.starts_with("# ") || rest.starts_with("#!") => (Token::Blank, until("\n")),
        _ if rest.starts_with("/*") => (Token::Blank, until("*/")),
        '$' => (Token::Text, heredoc(rest)),
        _ if first.is_whitespace() => (Token::Blank, first.len_utf8()),
        _ => (Token::Text, first.len_utf8()),
    }
}

/// Length of a quoted text that starts at `rest`. A backslash hides the next character; a doubled quote reads as two quoted texts in
/// a row, which makes no difference here.
fn quoted(rest: &str) -> usize {
    let quote = rest.as_bytes()[0];
    let mut hidden = false;
    for (at, &byte) in rest.as_bytes().iter().enumerate().skip(1) {
        match byte {
            _ if hidden => hidden = false,
            b'\\' => hidden = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Length of `$tag$ ... $tag$`, or of the lone dollar sign.
fn heredoc(rest: &str) -> usize {
    let Some(tag_end) = rest[1..].find('$').map(|at| at + 2) else { return 1 };
    let tag = &rest[..tag_end];
    if !tag[1..tag_end - 1].bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return 1;
    }
    rest[tag_end..].find(tag).map_or(rest.len(), |at| tag_end + at + tag_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_quotes_and_heredocs_hide_semicolons() {
        let cases: &[(&str, &[&str])] = &[
            ("SELECT 1", &["SELECT 1"]),
            ("SELECT 1;\n", &["SELECT 1"]),
            ("-- a; b\nSELECT 1; -- c;", &["SELECT 1"]),
            ("/* a; */ SELECT\n  1;;", &["SELECT 1"]),
            ("SELECT 'a;b', 'it''s;', 'x\\';y'", &["SELECT 'a;b', 'it''s;', 'x\\';y'"]),
            ("SELECT `a;b`, \"c;d\"", &["SELECT `a;b`, \"c;d\""]),
            ("SELECT $sql$ a; b $sql$", &["SELECT $sql$ a; b $sql$"]),
            ("SELECT 1; SELECT 2", &["SELECT 1", "SELECT 2"]),
            ("SELECT 'never closed; x", &["SELECT 'never closed; x"]),
            ("-- nothing\n", &[]),
            ("# nothing\n#! nothing", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(&statements(text), expected, "{text}");
        }
    }

    #[test]
    fn what_stands_in_quotes_is_left_alone() {
        let changed = outside_quotes("a.b 'a.b''a.b' `a.b` a.b \"a", |sql| sql.replace("a.", "x."));
        assert_eq!(changed, "x.b 'a.b''a.b' `a.b` x.b \"a");
    }

    #[test]
    fn only_what_may_run_twice_passes() {
        let harmless = [
            "CREATE TABLE IF NOT EXISTS t (a UInt8)",
            "create or replace view v as select 1",
            "CREATE MATERIALIZED VIEW IF NOT EXISTS v TO t AS SELECT 1",
            "DROP TABLE IF EXISTS t",
            "ALTER TABLE t ADD COLUMN IF NOT EXISTS a UInt8",
            "ALTER TABLE t MODIFY COLUMN a UInt16",
        ];
        for statement in harmless {
            assert_eq!(why_not_repeatable(statement), None, "{statement}");
        }
        let refused = [
            "CREATE TABLE t (a UInt8)",
            "CREATE OR REPLACE TABLE t (a UInt8)",
            "DROP TABLE t",
            "ALTER TABLE t ADD COLUMN a UInt8",
            "INSERT INTO t SELECT 1",
            "TRUNCATE TABLE t",
        ];
        for statement in refused {
            assert!(why_not_repeatable(statement).is_some(), "{statement}");
        }
    }
}
