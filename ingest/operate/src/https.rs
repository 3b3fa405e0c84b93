//! Servers that are asked over https: whom to believe, and why a certificate is not believed.

use std::path::Path;

use tocsin_trust::Distrust;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::Failure;

/// Refuses an address and authorities that do not go together: with https:// they must be named by `option`, with http:// they must not.
pub(crate) fn check(url: &str, authorities: Option<&Path>, option: &str) -> Result<(), Failure> {
    if url.starts_with("https://") == authorities.is_some() {
        return Ok(());
    }
    Err(Failure::usage(
        format!("{url} and {option} do not go together: one stands without the other"),
        "with https:// name the authorities to believe; the system's are in /etc/ssl/certs/ca-certificates.crt on Debian",
    ))
}

/// TLS that believes the authorities in a PEM file and nobody else.
pub(crate) fn tls(authorities: &Path, option: &str) -> Result<TlsConfig, Failure> {
    let remedy = format!("point {option} at the PEM file of the authority that signed the server's certificate");
    let authorities = tocsin_trust::certificates(authorities).map_err(|problem| Failure::usage(problem, remedy))?;
    let roots: Vec<_> = authorities.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    Ok(TlsConfig::builder().root_certs(RootCerts::from(roots)).unversioned_rustls_crypto_provider(tocsin_trust::provider()).build())
}

/// Why the certificate at `url` is not believed; `None` where it is, where the address is not encrypted, or where nobody answers.
pub(crate) fn distrust(url: &str, authorities: &Path) -> Option<Distrust> {
    tocsin_trust::distrust_of(&address(url)?, authorities)
}

/// `host:port` of an encrypted address.
fn address(url: &str) -> Option<String> {
    let authority = url.strip_prefix("https://")?.split('/').next()?;
    let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    Some(if has_port { authority.to_owned() } else { format!("{authority}:443") })
}

#[cfg(test)]
#[path = "../../trust/src/tests/authority.rs"]
pub(crate) mod authority;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_of_https_is_443_unless_another_is_given() {
        assert_eq!(address("https://flink/jobs"), Some("flink:443".to_owned()));
        assert_eq!(address("https://[::1]:8081"), Some("[::1]:8081".to_owned()));
        assert_eq!(address("http://flink:8081"), None);
    }
}
