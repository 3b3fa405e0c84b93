//! Text -> tokens.

/// A token and the line that it begins on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) line: usize,
    pub(super) kind: Kind<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// A name, a keyword, or a macro's name.
    Word(&'a str),
    Number(i64),
    /// Between quotation marks.
    Text(&'a str),
    /// `::=`
    Assign,
    /// Any other sign; `..` counts as two.
    Sign(char),
}

/// The tokens of a file, or the line of what is none.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, (usize, String)> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(bytes.len() / 8);
    let (mut at, mut line) = (0, 1);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let length = match byte {
            b'\n' => {
                line += 1;
                1
            }
            _ if rest.starts_with(b"--") => length_while(rest, |byte| byte != b'\n'),
            b'"' => {
                let length = rest[1..].iter().position(|byte| *byte == b'"').ok_or((line, "a text has no end; add a \"".to_owned()))? + 2;
                tokens.push(Token { line, kind: Kind::Text(text.get(at + 1..at + length - 1).unwrap_or_default()) });
                line += rest[..length].iter().filter(|byte| **byte == b'\n').count();
                length
            }
            // 'FF'H and '01'B are default values, which nothing here needs.
            b'\'' => rest[1..].iter().position(|byte| *byte == b'\'').ok_or((line, "a ' has no partner".to_owned()))? + 2,
            // Words of enumerations begin with a digit in some vendors' modules.
            b'0'..=b'9' if begins_word(rest) => {
                let length = word_length(rest);
                tokens.push(Token { line, kind: Kind::Word(&text[at..at + length]) });
                length
            }
            b'0'..=b'9' => {
                let length = length_while(rest, |byte| byte.is_ascii_digit());
                tokens.push(Token { line, kind: Kind::Number(number(text, at, at + length, line)?) });
                length
            }
            b'-' if rest.get(1).is_some_and(u8::is_ascii_digit) => {
                let length = 1 + length_while(&rest[1..], |byte| byte.is_ascii_digit());
                tokens.push(Token { line, kind: Kind::Number(number(text, at, at + length, line)?) });
                length
            }
            b'A'..=b'Z' | b'a'..=b'z' => {
                let length = word_length(rest);
                tokens.push(Token { line, kind: Kind::Word(&text[at..at + length]) });
                length
            }
            _ if rest.starts_with(b"::=") => {
                tokens.push(Token { line, kind: Kind::Assign });
                3
            }
            byte if byte.is_ascii_whitespace() || byte == 0x1a || byte == 0x0b => 1,
            byte if byte.is_ascii_graphic() => {
                tokens.push(Token { line, kind: Kind::Sign(char::from(byte)) });
                1
            }
            // Letters beyond ASCII stand in descriptions only; outside they are stray.
            _ => 1,
        };
        at += length;
    }
    Ok(tokens)
}

fn length_while(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is_part(**byte)).count()
}

fn begins_word(rest: &[u8]) -> bool {
    rest.get(length_while(rest, |byte| byte.is_ascii_digit())).is_some_and(u8::is_ascii_alphabetic)
}

/// Letters, digits, `-` and `_`; `--` begins a comment.
fn word_length(bytes: &[u8]) -> usize {
    let mut length = 0;
    while let Some(&byte) = bytes.get(length) {
        let is_part = byte.is_ascii_alphanumeric() || byte == b'_' || (byte == b'-' && bytes.get(length + 1) != Some(&b'-'));
        if !is_part {
            break;
        }
        length += 1;
    }
    length
}

fn number(text: &str, from: usize, to: usize, line: usize) -> Result<i64, (usize, String)> {
    // Ranges reach to 2^64-1, of which nobody needs the exact value.
    text[from..to]
        .parse::<i128>()
        .map(|number| number.clamp(i64::MIN.into(), i64::MAX.into()) as i64)
        .map_err(|_| (line, format!("{:?} is no number", &text[from..to])))
}
