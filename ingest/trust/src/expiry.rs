//! When certificates in files stop to be valid.

use std::path::Path;

use jiff::Timestamp;
use x509_cert::Certificate;
use x509_cert::der::Decode;

use crate::certificates;

/// When the first certificate of a PEM file expires, which is the one that is shown to others: those after it lead to its root. The error is one
/// sentence that names the file.
pub fn shown_until(path: &Path) -> Result<Timestamp, String> {
    ends(path)?.next().unwrap_or_else(|| Err(format!("{} holds no certificate", path.display())))
}

/// When the last authority of a PEM file expires: from then on nobody is believed by it.
pub fn believed_until(path: &Path) -> Result<Timestamp, String> {
    let ends = ends(path)?.collect::<Result<Vec<_>, _>>()?;
    ends.into_iter().max().ok_or_else(|| format!("{} holds no certificate", path.display()))
}

fn ends(path: &Path) -> Result<impl Iterator<Item = Result<Timestamp, String>>, String> {
    let file = path.display().to_string();
    Ok(certificates(path)?.into_iter().map(move |certificate| {
        let unreadable = |problem: String| format!("a certificate in {file} cannot be read: {problem}");
        let certificate = Certificate::from_der(&certificate).map_err(|error| unreadable(error.to_string()))?;
        let end = certificate.tbs_certificate.validity.not_after.to_unix_duration();
        Timestamp::from_second(end.as_secs().cast_signed()).map_err(|error| unreadable(error.to_string()))
    }))
}
