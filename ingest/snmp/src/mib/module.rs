//! Tokens -> the definitions of modules.

use std::collections::HashMap;

use super::lexer::{Kind, Token, tokens};
use super::{Problem, Source};

/// One module.
#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) file: String,
    pub(super) name: String,
    /// Where an imported name comes from.
    pub(super) imports: HashMap<String, String>,
    pub(super) values: Vec<Value>,
    pub(super) types: HashMap<String, Syntax>,
}

/// Something with an OID.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) kind: ValueKind,
    pub(super) oid: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Node,
    Notification,
    /// Groups and compliance, which no message names.
    Conformance,
    /// A scalar, a column, a row or a table.
    Object,
}

/// Where it stands, and what an object's values are.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) parent: String,
    pub(super) numbers: Vec<u32>,
    pub(super) syntax: Option<Syntax>,
}

/// A type as far as it shapes values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Syntax {
    /// `INTEGER`, `OCTET STRING`, a type's name; `SEQUENCE` for rows and tables.
    pub(super) base: String,
    pub(super) words: Vec<(String, i64)>,
    pub(super) hint: Option<String>,
}

/// Macros that end in an OID.
const MACROS: [(&str, ValueKind); 9] = [
    ("OBJECT-TYPE", ValueKind::Object),
    ("MODULE-IDENTITY", ValueKind::Node),
    ("OBJECT-IDENTITY", ValueKind::Node),
    ("NOTIFICATION-TYPE", ValueKind::Notification),
    ("TRAP-TYPE", ValueKind::Notification),
    ("OBJECT-GROUP", ValueKind::Conformance),
    ("NOTIFICATION-GROUP", ValueKind::Conformance),
    ("MODULE-COMPLIANCE", ValueKind::Conformance),
    ("AGENT-CAPABILITIES", ValueKind::Conformance),
];

/// Reads the modules of a file. After a problem the rest of its module is left out.
pub(super) fn read(source: &Source<'_>) -> (Vec<Module>, Vec<Problem>) {
    let problem = |(line, message): (usize, String)| Problem { file: source.name.to_owned(), line, message };
    let tokens = match tokens(source.text) {
        Ok(tokens) => tokens,
        Err(wrong) => return (Vec::new(), vec![problem(wrong)]),
    };
    let mut parser = Parser { tokens: &tokens, at: 0 };
    let (mut modules, mut problems) = (Vec::new(), Vec::new());
    while parser.peek().is_some() {
        let start = parser.at;
        let mut module = Module { file: source.name.to_owned(), ..Module::default() };
        if let Err(wrong) = parser.module(&mut module) {
            problems.push(problem(wrong));
            parser.step_to_next_module(start);
        }
        // Half a module is better than none: what stands before the problem has its names.
        if !module.name.is_empty() {
            modules.push(module);
        }
    }
    (modules, problems)
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
}

type Step<T> = Result<T, (usize, String)>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Kind<'a>> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    fn peek_at(&self, ahead: usize) -> Option<Kind<'a>> {
        self.tokens.get(self.at + ahead).map(|token| token.kind)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |token| token.line)
    }

    fn wrong<T>(&self, message: impl Into<String>) -> Step<T> {
        Err((self.line(), message.into()))
    }

    fn next(&mut self) -> Option<Kind<'a>> {
        let kind = self.peek();
        self.at += 1;
        kind
    }

    fn word(&mut self, what: &str) -> Step<&'a str> {
        match self.peek() {
            Some(Kind::Word(word)) => {
                self.at += 1;
                Ok(word)
            }
            other => self.wrong(format!("expected {what}, found {}", describe(other))),
        }
    }

    fn expect(&mut self, kind: Kind<'_>) -> Step<()> {
        if self.peek() == Some(kind) {
            self.at += 1;
            return Ok(());
        }
        self.wrong(format!("expected {}, found {}", describe(Some(kind)), describe(self.peek())))
    }

    fn take(&mut self, kind: Kind<'_>) -> bool {
        let is_next = self.peek() == Some(kind);
        self.at += usize::from(is_next);
        is_next
    }

    /// To the next `NAME DEFINITIONS` behind the begin of the module that could not be read. Where its END is missing, the reader is one
    /// token behind that name.
    fn step_to_next_module(&mut self, start: usize) {
        self.at = self.at.saturating_sub(1).max(start + 1);
        while self.peek().is_some() && self.peek_at(1) != Some(Kind::Word("DEFINITIONS")) {
            self.at += 1;
        }
    }

    /// `NAME DEFINITIONS ::= BEGIN ... END`
    fn module(&mut self, module: &mut Module) -> Step<()> {
        let name = self.word("the name of a module")?;
        if self.peek() == Some(Kind::Sign('{')) {
            self.step_over('{', '}')?;
        }
        self.expect(Kind::Word("DEFINITIONS"))?;
        while matches!(self.peek(), Some(Kind::Word(tags)) if tags != "BEGIN") {
            self.at += 1;
        }
        self.expect(Kind::Assign)?;
        self.expect(Kind::Word("BEGIN"))?;
        name.clone_into(&mut module.name);
        loop {
            match self.peek() {
                Some(Kind::Word("END")) => {
                    self.at += 1;
                    return Ok(());
                }
                Some(Kind::Word("IMPORTS")) => self.imports(module)?,
                Some(Kind::Word("EXPORTS")) => self.step_behind(Kind::Sign(';'))?,
                Some(Kind::Word(_)) => self.definition(module)?,
                None => return self.wrong(format!("module {name} has no END")),
                other => return self.wrong(format!("expected a definition, found {}", describe(other))),
            }
        }
    }

    /// `IMPORTS a, b FROM M c FROM N;`
    fn imports(&mut self, module: &mut Module) -> Step<()> {
        self.at += 1;
        let mut names = Vec::new();
        loop {
            match self.next() {
                Some(Kind::Word("FROM")) => {
                    let from = self.word("the name of a module")?;
                    module.imports.extend(names.drain(..).map(|name: &str| (name.to_owned(), from.to_owned())));
                }
                Some(Kind::Word(name)) => names.push(name),
                Some(Kind::Sign(',')) => {}
                Some(Kind::Sign(';')) => return Ok(()),
                other => {
                    self.at -= 1;
                    return self.wrong(format!("expected imported names and a ; at their end, found {}", describe(other)));
                }
            }
        }
    }

    fn definition(&mut self, module: &mut Module) -> Step<()> {
        let line = self.line();
        let name = self.word("a name")?.to_owned();
        match self.peek() {
            Some(Kind::Word("MACRO")) => self.step_behind(Kind::Word("END")),
            // Read as a definition it would swallow the next module.
            Some(Kind::Word("DEFINITIONS")) => self.wrong(format!("module {} has no END: module {name} begins inside of it", module.name)),
            Some(Kind::Assign) => {
                self.at += 1;
                let syntax = if self.take(Kind::Word("TEXTUAL-CONVENTION")) { self.textual_convention()? } else { self.syntax()? };
                module.types.insert(name, syntax);
                Ok(())
            }
            Some(Kind::Word("OBJECT")) => {
                self.at += 1;
                self.expect(Kind::Word("IDENTIFIER"))?;
                self.expect(Kind::Assign)?;
                let (parent, numbers) = self.oid()?;
                module.values.push(Value { name, line, kind: ValueKind::Node, oid: Place { parent, numbers, syntax: None } });
                Ok(())
            }
            Some(Kind::Word(word)) => {
                let Some((_, kind)) = MACROS.iter().find(|(macro_name, _)| *macro_name == word) else {
                    // Some other value, of a type that nothing here needs.
                    self.at += 1;
                    self.expect(Kind::Assign)?;
                    self.at += 1;
                    return Ok(());
                };
                self.at += 1;
                let oid = if word == "TRAP-TYPE" { self.trap_type()? } else { self.macro_body()? };
                module.values.push(Value { name, line, kind: *kind, oid });
                Ok(())
            }
            other => self.wrong(format!("expected ::= or a macro such as OBJECT-TYPE behind {name}, found {}", describe(other))),
        }
    }

    /// The clauses of a macro up to its OID; only SYNTAX of OBJECT-TYPE is kept.
    fn macro_body(&mut self) -> Step<Place> {
        let mut syntax = None;
        loop {
            match self.peek() {
                Some(Kind::Assign) => break,
                Some(Kind::Word("SYNTAX")) if syntax.is_none() => {
                    self.at += 1;
                    syntax = Some(self.syntax()?);
                }
                Some(Kind::Sign('{')) => self.step_over('{', '}')?,
                Some(_) => self.at += 1,
                None => return self.wrong("the end of the file inside a definition; its ::= is missing"),
            }
        }
        self.at += 1;
        let (parent, numbers) = self.oid()?;
        Ok(Place { parent, numbers, syntax })
    }

    /// RFC 1215: `ENTERPRISE e ... ::= n` is e.0.n (RFC 3584), and below `snmp` one of the generic traps.
    fn trap_type(&mut self) -> Step<Place> {
        let mut enterprise = String::new();
        loop {
            match self.peek() {
                Some(Kind::Assign) => break,
                Some(Kind::Word("ENTERPRISE")) => {
                    self.at += 1;
                    let is_braced = self.take(Kind::Sign('{'));
                    self.word("the enterprise of a trap")?.clone_into(&mut enterprise);
                    if is_braced {
                        self.expect(Kind::Sign('}'))?;
                    }
                }
                Some(Kind::Sign('{')) => self.step_over('{', '}')?,
                Some(_) => self.at += 1,
                None => return self.wrong("the end of the file inside a TRAP-TYPE; its ::= is missing"),
            }
        }
        self.at += 1;
        let number = self.sub_identifier()?;
        if enterprise == "snmp" {
            return Ok(Place { parent: "snmpTraps".to_owned(), numbers: vec![number.saturating_add(1)], syntax: None });
        }
        Ok(Place { parent: enterprise, numbers: vec![0, number], syntax: None })
    }

    fn textual_convention(&mut self) -> Step<Syntax> {
        let mut hint = None;
        loop {
            match self.next() {
                Some(Kind::Word("DISPLAY-HINT")) => {
                    if let Some(Kind::Text(text)) = self.peek() {
                        hint = Some(text.to_owned());
                    }
                }
                Some(Kind::Word("SYNTAX")) => return Ok(Syntax { hint, ..self.syntax()? }),
                Some(_) => {}
                None => return self.wrong("the end of the file inside a TEXTUAL-CONVENTION; its SYNTAX is missing"),
            }
        }
    }

    fn syntax(&mut self) -> Step<Syntax> {
        if self.peek() == Some(Kind::Sign('[')) {
            self.step_over('[', ']')?;
        }
        while self.take(Kind::Word("IMPLICIT")) {}
        let base = self.word("a type")?;
        let mut syntax = Syntax { base: base.to_owned(), ..Syntax::default() };
        match base {
            "OCTET" => {
                self.expect(Kind::Word("STRING"))?;
                syntax.base = "OCTET STRING".to_owned();
            }
            "OBJECT" => {
                self.expect(Kind::Word("IDENTIFIER"))?;
                syntax.base = "OBJECT IDENTIFIER".to_owned();
            }
            "SEQUENCE" | "CHOICE" => {
                syntax.base = "SEQUENCE".to_owned();
                if self.take(Kind::Word("OF")) {
                    self.word("the type of a row")?;
                } else {
                    self.step_over('{', '}')?;
                }
            }
            _ if self.peek() == Some(Kind::Sign('{')) => syntax.words = self.enumeration()?,
            _ => {}
        }
        if self.peek() == Some(Kind::Sign('(')) {
            self.step_over('(', ')')?;
        }
        Ok(syntax)
    }

    /// `{ up(1), down(2) }`
    fn enumeration(&mut self) -> Step<Vec<(String, i64)>> {
        let mut words = Vec::new();
        self.expect(Kind::Sign('{'))?;
        while !self.take(Kind::Sign('}')) {
            let word = self.word("the word of an enumeration, or a }")?;
            self.expect(Kind::Sign('('))?;
            let Some(Kind::Number(number)) = self.next() else {
                self.at -= 1;
                return self.wrong(format!("expected the number of {word}, found {}", describe(self.peek())));
            };
            self.expect(Kind::Sign(')'))?;
            words.push((word.to_owned(), number));
            self.take(Kind::Sign(','));
        }
        Ok(words)
    }

    /// `{ parent 1 2 }`, `{ iso org(3) dod(6) }` or a name alone.
    fn oid(&mut self) -> Step<(String, Vec<u32>)> {
        self.expect(Kind::Sign('{'))?;
        let mut parent = String::new();
        let mut numbers = Vec::new();
        while !self.take(Kind::Sign('}')) {
            match self.peek() {
                Some(Kind::Number(_)) => numbers.push(self.sub_identifier()?),
                Some(Kind::Word(name)) if self.peek_at(1) == Some(Kind::Sign('(')) => {
                    self.at += 2;
                    if parent.is_empty() && numbers.is_empty() && ["iso", "ccitt", "joint-iso-ccitt"].contains(&name) {
                        name.clone_into(&mut parent);
                        self.sub_identifier()?;
                    } else {
                        numbers.push(self.sub_identifier()?);
                    }
                    self.expect(Kind::Sign(')'))?;
                }
                Some(Kind::Word(name)) if numbers.is_empty() => {
                    self.at += 1;
                    // MODULE.name names a definition of another module.
                    if self.take(Kind::Sign('.')) {
                        self.word("a name")?.clone_into(&mut parent);
                    } else {
                        name.clone_into(&mut parent);
                    }
                }
                other => return self.wrong(format!("expected a number of an OID or a }}, found {}", describe(other))),
            }
        }
        Ok((parent, numbers))
    }

    fn sub_identifier(&mut self) -> Step<u32> {
        match self.peek() {
            Some(Kind::Number(number)) => {
                let Ok(number) = u32::try_from(number) else {
                    return self.wrong(format!("{number} in an OID; 0 to 4294967295 is possible"));
                };
                self.at += 1;
                Ok(number)
            }
            other => self.wrong(format!("expected a number, found {}", describe(other))),
        }
    }

    /// Steps over brackets and all that they hold.
    fn step_over(&mut self, open: char, close: char) -> Step<()> {
        let start = self.line();
        let mut depth = 0_usize;
        while let Some(kind) = self.next() {
            match kind {
                Kind::Sign(sign) if sign == open => depth += 1,
                Kind::Sign(sign) if sign == close => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        Err((start, format!("{open} has no {close}")))
    }

    fn step_behind(&mut self, end: Kind<'_>) -> Step<()> {
        let start = self.line();
        while let Some(kind) = self.next() {
            if kind == end {
                return Ok(());
            }
        }
        Err((start, format!("{} is missing", describe(Some(end)))))
    }
}

fn describe(kind: Option<Kind<'_>>) -> String {
    match kind {
        Some(Kind::Word(word)) => format!("{word:?}"),
        Some(Kind::Number(number)) => number.to_string(),
        Some(Kind::Text(_)) => "a text".to_owned(),
        Some(Kind::Assign) => "::=".to_owned(),
        Some(Kind::Sign(sign)) => sign.to_string(),
        None => "the end of the file".to_owned(),
    }
}
