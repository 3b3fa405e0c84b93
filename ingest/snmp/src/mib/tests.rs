use super::*;

const VENDOR: &str = r#"
ACME-MIB DEFINITIONS ::= BEGIN
IMPORTS
    MODULE-IDENTITY, OBJECT-TYPE, NOTIFICATION-TYPE, Integer32, enterprises FROM SNMPv2-SMI
    TEXTUAL-CONVENTION, MacAddress, TruthValue FROM SNMPv2-TC
    ifIndex FROM IF-MIB;

acme MODULE-IDENTITY
    LAST-UPDATED "202601010000Z"
    ORGANIZATION "Acme -- not a comment"
    CONTACT-INFO "nobody"
    DESCRIPTION "A module written for this test."
    ::= { enterprises 32473 }

-- a comment with "quotes" -- in it
FanState ::= TEXTUAL-CONVENTION
    STATUS current
    DESCRIPTION "How a fan does."
    SYNTAX INTEGER { ok(1), slow(2), stopped(-3) }

Tenths ::= TEXTUAL-CONVENTION
    DISPLAY-HINT "d-1"
    STATUS current
    DESCRIPTION "Tenths."
    SYNTAX Integer32 (-1000..1000)

acmeObjects OBJECT IDENTIFIER ::= { acme 1 }
acmeFanTable OBJECT-TYPE
    SYNTAX SEQUENCE OF AcmeFanEntry
    MAX-ACCESS not-accessible
    STATUS current
    DESCRIPTION "Fans."
    ::= { acmeObjects 1 }
acmeFanEntry OBJECT-TYPE
    SYNTAX AcmeFanEntry
    MAX-ACCESS not-accessible
    STATUS current
    DESCRIPTION "A fan."
    INDEX { ifIndex }
    ::= { acmeFanTable 1 }
AcmeFanEntry ::= SEQUENCE { acmeFanState FanState, acmeFanHeat Tenths }
acmeFanState OBJECT-TYPE
    SYNTAX FanState
    MAX-ACCESS read-only
    STATUS current
    DESCRIPTION "State."
    DEFVAL { ok }
    ::= { acmeFanEntry 1 }
acmeFanHeat OBJECT-TYPE SYNTAX Tenths MAX-ACCESS read-only STATUS current DESCRIPTION "Heat." ::= { acmeFanEntry 2 }
acmeMac OBJECT-TYPE SYNTAX MacAddress MAX-ACCESS read-only STATUS current DESCRIPTION "MAC." ::= { acmeObjects 2 }
acmeFlags OBJECT-TYPE SYNTAX BITS { red(0), 2blue(1) } MAX-ACCESS read-only STATUS current DESCRIPTION "Flags." ::= { acmeObjects 3 }
acmeOn OBJECT-TYPE SYNTAX TruthValue MAX-ACCESS read-only STATUS current DESCRIPTION "On." ::= { acmeObjects 4 }
acmeFanStopped NOTIFICATION-TYPE
    OBJECTS { acmeFanState }
    STATUS current
    DESCRIPTION "A fan stopped."
    ::= { acme 0 7 }
END
"#;

const OLD: &str = r#"
OLD-MIB DEFINITIONS ::= BEGIN
IMPORTS enterprises FROM RFC1155-SMI OBJECT-TYPE FROM RFC-1212 TRAP-TYPE FROM RFC-1215;
old OBJECT IDENTIFIER ::= { enterprises 32474 }
oldCount OBJECT-TYPE SYNTAX Counter ACCESS read-only STATUS mandatory ::= { old 1 }
oldFailed TRAP-TYPE ENTERPRISE old VARIABLES { oldCount } DESCRIPTION "It failed." ::= 3
END
"#;

fn compile_texts(texts: &[(&str, &str)]) -> Compiled {
    let sources: Vec<_> = texts.iter().map(|(name, text)| Source { name, text }).collect();
    compile(&sources, &Names::default())
}

#[test]
fn a_module_of_either_version_becomes_rows_sorted_by_oid() {
    let compiled = compile_texts(&[("vendor.mib", VENDOR), ("old.mib", OLD)]);
    assert_eq!(compiled.problems, []);
    assert_eq!(compiled.modules, ["ACME-MIB", "OLD-MIB"]);
    let rows: Vec<_> = compiled.table.lines().skip(1).map(|line| line.replace('\t', " | ")).collect();
    assert_eq!(
        rows,
        [
            "1.3.6.1.4.1.32473 | ACME-MIB::acme | node",
            "1.3.6.1.4.1.32473.0.7 | ACME-MIB::acmeFanStopped | notification",
            "1.3.6.1.4.1.32473.1 | ACME-MIB::acmeObjects | node",
            "1.3.6.1.4.1.32473.1.1 | ACME-MIB::acmeFanTable | node",
            "1.3.6.1.4.1.32473.1.1.1 | ACME-MIB::acmeFanEntry | node",
            "1.3.6.1.4.1.32473.1.1.1.1 | ACME-MIB::acmeFanState | INTEGER | enum ok=1,slow=2,stopped=-3",
            "1.3.6.1.4.1.32473.1.1.1.2 | ACME-MIB::acmeFanHeat | INTEGER | hint d-1",
            "1.3.6.1.4.1.32473.1.2 | ACME-MIB::acmeMac | OCTET STRING | hint 1x:",
            "1.3.6.1.4.1.32473.1.3 | ACME-MIB::acmeFlags | BITS | enum red=0,2blue=1",
            "1.3.6.1.4.1.32473.1.4 | ACME-MIB::acmeOn | INTEGER | enum true=1,false=2",
            "1.3.6.1.4.1.32474 | OLD-MIB::old | node",
            "1.3.6.1.4.1.32474.0.3 | OLD-MIB::oldFailed | notification",
            "1.3.6.1.4.1.32474.1 | OLD-MIB::oldCount | Counter32",
        ]
    );
    Names::default().add(&compiled.table).unwrap();
}

#[test]
fn a_problem_has_its_file_and_line_and_a_remedy() {
    let cases = [
        ("A DEFINITIONS ::= BEGIN\nx OBJECT IDENTIFIER ::= { nowhere 1 }\nEND", 2, "defined nowhere; put its MIB into the folder"),
        ("A DEFINITIONS ::= BEGIN\nIMPORTS y FROM B;\n\nx OBJECT IDENTIFIER ::= { y 1 }\nEND", 4, "imported from B, which is not there"),
        ("A DEFINITIONS ::= BEGIN\nx OBJECT IDENTIFIER ::= { y 1 }\ny OBJECT IDENTIFIER ::= { x 1 }\nEND", 2, "no place itself"),
        ("A DEFINITIONS ::= BEGIN\nx OBJECT-TYPE SYNTAX INTEGER { up 1 }\nEND", 2, "expected (, found 1"),
        ("A DEFINITIONS ::= BEGIN\n\nx OBJECT-TYPE SYNTAX INTEGER", 3, "::= is missing"),
        ("A DEFINITIONS ::= BEGIN\nx OBJECT IDENTIFIER ::= { iso 1 }", 2, "no END"),
        ("A DEFINITIONS ::= BEGIN\n\"endless", 2, "no end"),
        ("5 DEFINITIONS ::= BEGIN END", 1, "expected the name of a module"),
        ("A DEFINITIONS ::= BEGIN\nx OBJECT IDENTIFIER ::= { iso 40 }\nEND", 2, "which cannot be"),
        ("A DEFINITIONS ::= BEGIN\n\nx OBJECT IDENTIFIER ::= {}\nEND", 3, "which cannot be"),
        ("nothing of the kind", 1, "expected \"DEFINITIONS\""),
    ];
    for (text, line, part) in cases {
        let problems = compile_texts(&[("a.mib", text)]).problems;
        let problem = problems.first().unwrap_or_else(|| panic!("no problem: {text}"));
        assert_eq!((problem.file.as_str(), problem.line), ("a.mib", line), "{problem}");
        assert!(problem.message.contains(part), "{problem}");
    }
}

#[test]
fn a_module_behind_one_without_an_end_is_read() {
    let compiled = compile_texts(&[(
        "a.mib",
        "A DEFINITIONS ::= BEGIN\nx OBJECT IDENTIFIER ::= { iso 1 }\nB DEFINITIONS ::= BEGIN\ny OBJECT IDENTIFIER ::= { iso 2 }\nEND",
    )]);
    assert_eq!((compiled.modules, compiled.problems.len()), (vec!["A".to_owned(), "B".to_owned()], 1));
    assert!(compiled.table.contains("A::x") && compiled.table.contains("B::y"), "{}", compiled.table);
}

#[test]
fn a_vendor_s_module_finds_its_parents_in_the_known_names() {
    let text = "V DEFINITIONS ::= BEGIN\nIMPORTS ifEntry FROM IF-MIB;\nvPort OBJECT IDENTIFIER ::= { ifEntry 99 }\nEND";
    let mut known = Names::default();
    known.add("1.3.6.1.2.1.2.2.1\tIF-MIB::ifEntry\tnode").unwrap();
    let compiled = compile(&[Source { name: "v", text }], &known);
    assert_eq!((compiled.problems, compiled.names), (vec![], 1));
    assert!(compiled.table.contains("1.3.6.1.2.1.2.2.1.99\tV::vPort\tnode"));
}
