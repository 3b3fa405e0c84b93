//! CertificateFiles that the agent shows or believes, and when they expire: a metric, so that it is told before nobody can connect any more.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;

/// A PEM file of certificates.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CertificateFile {
    /// Shown to others: its first certificate counts.
    Shown(PathBuf),
    /// Authorities: the last of them to expire counts.
    Believed(PathBuf),
}

impl CertificateFile {
    fn path(&self) -> &Path {
        match self {
            Self::Shown(path) | Self::Believed(path) => path,
        }
    }

    fn expires_unix_seconds(&self) -> Result<i64, String> {
        let expires = match self {
            Self::Shown(path) => tocsin_trust::shown_until(path),
            Self::Believed(path) => tocsin_trust::believed_until(path),
        };
        expires.map(|time| time.as_second())
    }
}

/// The files of a running agent. They are read when they are asked for, as for each new connection: a file that was renewed is told as renewed.
#[derive(Debug, Default)]
pub struct CertificateFiles(Mutex<BTreeSet<CertificateFile>>);

impl CertificateFiles {
    /// From now on it is these.
    pub fn replace(&self, files: BTreeSet<CertificateFile>) {
        *self.lock() = files;
    }

    /// Of each file that cannot be used: why.
    pub(crate) fn problems(&self) -> Vec<String> {
        self.lock().iter().filter_map(|file| file.expires_unix_seconds().err()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<CertificateFile>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
pub(crate) struct CertificateCollector(pub(crate) Arc<CertificateFiles>);

impl Collector for CertificateCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let files = self.0.lock().clone();
        let help = "When the certificate of this file expires, of authorities the last; 0: the file cannot be used";
        let mut expires = encoder.encode_descriptor("certificate_expires_timestamp_seconds", help, None, MetricType::Gauge)?;
        for file in files {
            let path = file.path().display().to_string();
            ConstGauge::new(file.expires_unix_seconds().unwrap_or(0)).encode(expires.encode_family(&[("file", path)])?)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_tells_when_it_expires_and_one_that_cannot_be_used_is_told_as_expired_with_why() {
        let folder = tempfile::tempdir().unwrap();
        let (leaf, roots, lost) = (folder.path().join("leaf.pem"), folder.path().join("roots.pem"), folder.path().join("lost.pem"));
        // The first is shown, and those after it lead to its root; of authorities the last to expire counts.
        fs::write(&leaf, [pem(2031), pem(2030)].concat()).unwrap();
        fs::write(&roots, [pem(2030), pem(2032)].concat()).unwrap();
        let certificates = CertificateFiles::default();
        let files = [CertificateFile::Shown(leaf), CertificateFile::Believed(roots), CertificateFile::Shown(lost.clone())];
        certificates.replace(BTreeSet::from(files));

        let mut registry = prometheus_client::registry::Registry::default();
        let certificates = Arc::new(certificates);
        registry.register_collector(Box::new(CertificateCollector(Arc::clone(&certificates))));
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry).unwrap();
        let values: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.rsplit(' ').next()).collect();
        assert_eq!(values, ["1924992000", "0", "1956528000"]);
        assert_eq!(certificates.problems().len(), 1);
        assert!(certificates.problems()[0].contains(&lost.display().to_string()), "{:?}", certificates.problems());
    }

    fn pem(last_year: i32) -> String {
        let mut params = rcgen::CertificateParams::new(vec!["agent.example.org".to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(last_year, 1, 1);
        params.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap().pem()
    }
}
