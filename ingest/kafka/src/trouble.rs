//! What keeps a client from Kafka, in words for the person who can mend it.

use std::sync::{Mutex, PoisonError};

use rdkafka::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use tocsin_trust::Distrust;

use crate::{Connection, log};

/// What is wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// One clause.
    pub reason: String,
    /// What to do.
    pub remedy: String,
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; {}", self.reason, self.remedy)
    }
}

/// The last connection that failed, in librdkafka's words: its calls say only that nobody answered.
#[derive(Debug, Default)]
pub struct Failures(Mutex<Option<String>>);

impl Failures {
    /// Takes a log line of librdkafka, and passes it on.
    pub fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        if facility == "FAIL" {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(message.to_owned());
        }
        log(level, facility, message);
    }

    /// What the last one means, where that is known.
    pub fn trouble(&self, connection: &Connection) -> Option<Trouble> {
        let words = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        connection.trouble(&words)
    }
}

impl ClientContext for Failures {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        Self::log(self, level, facility, message);
    }
}

impl Connection {
    /// What librdkafka's words about a failed connection mean, where that is known. Looks at the broker's certificate where that was refused.
    pub fn trouble(&self, words: &str) -> Option<Trouble> {
        let trouble = |reason: String, remedy: &str| Some(Trouble { reason, remedy: remedy.to_owned() });
        let option = |name: &str| self.options.get(name).map_or("", String::as_str);
        if words.contains("certificate verify failed") || words.contains("Failed to verify broker certificate") {
            let distrust =
                address(words).zip(self.authorities.as_deref()).and_then(|(address, file)| tocsin_trust::distrust_of(address, file));
            return Some(distrust.map_or_else(unknown_certificate, |Distrust { reason, remedy }| Trouble { reason, remedy }));
        }
        if CLIENT_REFUSED.iter().any(|alert| words.contains(alert)) {
            return trouble(
                "the broker does not believe this client's certificate, or misses one".to_owned(),
                "set ssl.certificate.location and ssl.key.location to a certificate of an authority that the brokers believe",
            );
        }
        if words.contains("PLAINTEXT broker listener") || words.contains("wrong version number") {
            return trouble(
                format!("the broker does not speak TLS at {}", address(words).unwrap_or("this port")),
                "use the port of its TLS listener, or the security.protocol of this one",
            );
        }
        // librdkafka has a hint of its own for this, which it never gives: it looks for the first word in its format string.
        if !option("security.protocol").ends_with("SSL") && words.contains("Disconnected") && words.contains("in state APIVERSION_QUERY") {
            return trouble(
                format!("the broker hangs up at {}, as one that wants TLS does", address(words).unwrap_or("this port")),
                "set security.protocol to that of the listener, in the file of --kafka-config or kafka.config_file",
            );
        }
        if words.contains("SASL mechanism handshake failed") || words.contains("Unsupported SASL mechanism") {
            return trouble(
                format!("the broker does not offer {} logins", option("sasl.mechanism")),
                "set sasl.mechanism to one of its sasl.enabled.mechanisms",
            );
        }
        if words.contains("SASL authentication") && option("sasl.mechanism") == "OAUTHBEARER" {
            return trouble(
                "the broker does not accept this token".to_owned(),
                "have the file of sasl.oauthbearer.token.file written anew by what gets the tokens, and compare issuer and audience with the broker's",
            );
        }
        if words.contains("SASL authentication")
            || words.contains("SASL SCRAM authentication failed")
            || words.contains("invalid credentials")
        {
            return trouble(
                format!("the broker does not know user {} with this password for {}", option("sasl.username"), option("sasl.mechanism")),
                "set sasl.username and the password of sasl.password.file right, or give the broker this user",
            );
        }
        None
    }

    /// What an answer of Kafka about `resource` (as in "topic x") means, where it is a refusal.
    pub fn refusal(&self, resource: &str, error: &KafkaError) -> Option<Trouble> {
        use RDKafkaErrorCode::{
            ClusterAuthorizationFailed, GroupAuthorizationFailed, TopicAuthorizationFailed, TransactionalIdAuthorizationFailed,
        };
        let codes = [ClusterAuthorizationFailed, GroupAuthorizationFailed, TopicAuthorizationFailed, TransactionalIdAuthorizationFailed];
        let code = error.rdkafka_error_code().filter(|code| codes.contains(code))?;
        Some(Trouble {
            reason: format!("{} may not do this with {resource} ({code})", self.user()),
            remedy:
                "use the account that is meant for it, or add the ACL with kafka-acls.sh: deploy/README.md has the table of who may do what"
                    .to_owned(),
        })
    }

    fn user(&self) -> String {
        self.options.get("sasl.username").map_or_else(|| "this client".to_owned(), |user| format!("user {user}"))
    }
}

/// What servers answer to a certificate of a client that they do not believe (RFC 8446 6.2): a JVM that it is unknown, others why; the last where an authority
/// of the same name has another key.
const CLIENT_REFUSED: [&str; 5] =
    ["alert certificate required", "alert bad certificate", "alert unknown ca", "alert certificate unknown", "alert decrypt error"];

fn unknown_certificate() -> Trouble {
    Trouble {
        reason: "the broker's certificate is not believed".to_owned(),
        remedy: "check ssl.ca.location, and the certificate with 'openssl s_client -showcerts -connect HOST:PORT'".to_owned(),
    }
}

/// `host:port` out of "sasl_ssl://host:port/bootstrap: ...".
fn address(words: &str) -> Option<&str> {
    let (_, rest) = words.split_once("://")?;
    rest.split(['/', ' ', ']']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection() -> Connection {
        let mut connection = Connection::new("k:9093");
        connection.options.insert("sasl.username".to_owned(), "tocsin_agent".to_owned());
        connection.options.insert("sasl.mechanism".to_owned(), "SCRAM-SHA-512".to_owned());
        connection
    }

    #[test]
    fn a_wrong_password_names_the_user_and_what_to_set() {
        let words = "[thrd:sasl_ssl://k:9093/bootstrap]: sasl_ssl://k:9093/bootstrap: SASL authentication error: Authentication failed during \
                     authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512 (after 301ms in state AUTH_REQ)";
        let told = connection().trouble(words).unwrap().to_string();
        assert!(
            told.starts_with("the broker does not know user tocsin_agent with this password for SCRAM-SHA-512; set sasl.username"),
            "{told}"
        );
    }

    #[test]
    fn a_certificate_of_this_client_that_a_broker_refuses_names_where_it_is_set() {
        let words =
            "ssl://k:9093/bootstrap: Receive failed: error:0A000416:SSL routines::sslv3 alert certificate unknown: SSL alert number 46";
        assert!(connection().trouble(words).unwrap().remedy.contains("set ssl.certificate.location"));
    }

    #[test]
    fn tls_at_a_plain_port_and_plain_at_a_tls_port_name_the_port() {
        let tls = "ssl://k:9092/bootstrap: SSL handshake failed: Disconnected: connecting to a PLAINTEXT broker listener? (after 0ms)";
        assert!(connection().trouble(tls).unwrap().reason.contains("does not speak TLS at k:9092"));
        let plain = "k:9093/bootstrap: Disconnected: connection closed by peer (after 4ms in state APIVERSION_QUERY)";
        let told = connection().trouble(plain).unwrap();
        assert!(told.remedy.contains("set security.protocol to that of the listener"), "{told}");
        let mut encrypted = connection();
        encrypted.options.insert("security.protocol".to_owned(), "SASL_SSL".to_owned());
        assert_eq!(encrypted.trouble(plain), None);
    }

    #[test]
    fn a_refused_topic_names_user_topic_and_remedy() {
        let error = KafkaError::MetadataFetch(RDKafkaErrorCode::TopicAuthorizationFailed);
        let told = connection().refusal("topic devices-v1", &error).unwrap().to_string();
        assert!(told.starts_with("user tocsin_agent may not do this with topic devices-v1") && told.contains("kafka-acls"), "{told}");
    }

    #[test]
    fn what_passes_by_itself_is_no_trouble_to_explain() {
        assert_eq!(connection().trouble("k:9092/bootstrap: Connect to ipv4#127.0.0.1:1 failed: Connection refused"), None);
    }
}
