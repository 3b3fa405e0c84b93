use super::*;

const SECRET: &str = "correct horse \"battery\" \\staple";

fn folder_with_password() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("kafka.password"), format!("{SECRET}\n")).unwrap();
    folder
}

fn refusal(text: &str) -> String {
    read(text, folder_with_password().path()).unwrap_err()
}

#[test]
fn the_example_is_read_and_its_secret_is_not_shown() {
    let folder = folder_with_password();
    let file = folder.path().join("kafka.properties");
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/config/kafka.example.properties"), &file).unwrap();
    let connection = Connection::from_file(&file).unwrap();
    assert_eq!(connection.bootstrap_servers, "kafka-1.example.org:9093,kafka-2.example.org:9093");
    let expected_ca = folder.path().join("kafka-ca.pem").to_string_lossy().into_owned();
    let options: Vec<_> = connection.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let expected = [
        ("sasl.mechanism", "SCRAM-SHA-512"),
        ("sasl.password", SECRET),
        ("sasl.username", "tocsin_agent"),
        ("security.protocol", "SASL_SSL"),
        ("ssl.ca.location", expected_ca.as_str()),
    ];
    assert_eq!(options, expected);
    assert!(!format!("{connection:?}").contains("battery"));
}

#[test]
fn what_is_unknown_doubled_or_no_pair_is_refused_by_its_line() {
    assert!(
        refusal("# fine\nssl.truststore.location=x")
            .starts_with("line 2: there is no ssl.truststore.location; there are bootstrap.servers,")
    );
    assert!(refusal("security.protocol").contains("line 1 has no '='"));
    assert!(refusal("security.protocol=").contains("line 1: security.protocol is empty"));
    assert!(refusal("security.protocol=SSL\nsecurity.protocol=SSL").contains("line 2: security.protocol stands there twice"));
    assert!(refusal("security.protocol=TLS").contains("there are PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"));
}

#[test]
fn what_does_not_go_together_is_refused_with_the_remedy() {
    let sasl = "security.protocol=SASL_SSL\nssl.ca.location=ca.pem\n";
    assert!(refusal("security.protocol=SSL").contains("needs ssl.ca.location"));
    assert!(refusal("ssl.ca.location=ca.pem").contains("nothing is encrypted"));
    assert!(refusal(sasl).contains("needs sasl.mechanism, sasl.username and one of"));
    assert!(refusal("sasl.username=a").contains("has no login"));
    assert!(refusal(&format!("{sasl}sasl.mechanism=GSSAPI")).contains("there are PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER"));
    assert!(refusal("security.protocol=SSL\nssl.ca.location=ca.pem\nssl.key.location=k").contains("go together"));
}

#[test]
fn a_login_by_token_names_its_file_and_no_password() {
    let login = "security.protocol=SASL_SSL\nssl.ca.location=ca.pem\nsasl.mechanism=OAUTHBEARER\n";
    assert!(refusal(login).contains("OAUTHBEARER needs sasl.oauthbearer.token.file"));
    let named = format!("{login}sasl.oauthbearer.token.file=kafka.token\n");
    assert!(refusal(&format!("{named}sasl.username=a")).contains("no user or password beside it"));
    assert!(refusal(&named).contains("kafka.token: cannot be read"));
    assert!(
        refusal("security.protocol=SASL_SSL\nssl.ca.location=ca.pem\nsasl.mechanism=PLAIN\nsasl.oauthbearer.token.file=t")
            .contains("needs sasl.mechanism")
    );
    let folder = folder_with_password();
    // {"sub":"a","exp":1795176000}
    fs::write(folder.path().join("kafka.token"), "e30.eyJzdWIiOiJhIiwiZXhwIjoxNzk1MTc2MDAwfQ.x").unwrap();
    let connection = read(&named, folder.path()).unwrap();
    assert_eq!(connection.token_file, Some(folder.path().join("kafka.token")));
    assert_eq!(connection.options.get("sasl.mechanism").map(String::as_str), Some("OAUTHBEARER"));
    assert!(!connection.options.contains_key("sasl.oauthbearer.token.file"), "librdkafka does not know it");
}

#[test]
fn a_password_in_the_file_itself_is_refused_and_not_repeated() {
    let told = refusal("sasl.password=hunter2");
    assert!(told.contains("name that as sasl.password.file") && !told.contains("hunter2"), "{told}");
}

#[test]
fn a_secret_that_is_not_there_is_told_by_its_place() {
    let login = "security.protocol=SASL_SSL\nssl.ca.location=ca.pem\nsasl.mechanism=PLAIN\nsasl.username=a\n";
    assert!(refusal(&format!("{login}sasl.password.file=none")).contains("none cannot be read"));
    assert!(refusal(&format!("{login}sasl.password.env=TOCSIN_NO_SUCH")).contains("TOCSIN_NO_SUCH, which is not set"));
}
