//! Connections through a proxy: its header is read before anything else is, within bounds of bytes and of time.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tocsin_parse::proxy::{FIXED_BYTES, Header};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::{Instant, timeout_at};

/// A proxy sends its header at once; the connection is one of a limited number.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// A connection that does not begin with a header: what had arrived, and a clause that says why it is none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WithoutHeader {
    pub(crate) beginning: Bytes,
    pub(crate) problem: &'static str,
}

/// Reads the header and not a byte more: who is behind the proxy, `None` where it speaks for itself.
pub(crate) async fn source(stream: &mut (impl AsyncRead + Unpin)) -> Result<Option<SocketAddr>, WithoutHeader> {
    source_until(stream, Instant::now() + MAX_WAIT).await
}

async fn source_until(stream: &mut (impl AsyncRead + Unpin), deadline: Instant) -> Result<Option<SocketAddr>, WithoutHeader> {
    let mut bytes = BytesMut::with_capacity(FIXED_BYTES);
    let source = read(stream, &mut bytes, deadline).await;
    source.map_err(|problem| WithoutHeader { beginning: bytes.freeze(), problem })
}

async fn read(stream: &mut (impl AsyncRead + Unpin), bytes: &mut BytesMut, deadline: Instant) -> Result<Option<SocketAddr>, &'static str> {
    fill(stream, bytes, FIXED_BYTES, deadline).await?;
    let fixed = bytes.first_chunk().ok_or("it is shorter than a PROXY header")?;
    let header = Header::read(fixed)?;
    fill(stream, bytes, FIXED_BYTES + header.rest_bytes, deadline).await?;
    header.source(&bytes[FIXED_BYTES..])
}

/// Reads until there are so many bytes.
async fn fill(stream: &mut (impl AsyncRead + Unpin), bytes: &mut BytesMut, wanted: usize, deadline: Instant) -> Result<(), &'static str> {
    while bytes.len() < wanted {
        let missing = (wanted - bytes.len()) as u64;
        match timeout_at(deadline, (&mut *stream).take(missing).read_buf(bytes)).await {
            Ok(Ok(0)) => return Err("the connection ended before its PROXY header did"),
            Ok(Ok(_)) => {}
            Ok(Err(_)) => return Err("the connection broke before its PROXY header was there"),
            Err(_) => return Err("its PROXY header was not there within 10 s"),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    /// 192.0.2.7:12345 behind a proxy, with an extension of four bytes.
    const HEADER: &[u8] = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x10\xc0\x00\x02\x07\xc6\x33\x64\x01\x30\x39\x02\x02\x04\x00\x01\x00";

    #[tokio::test]
    async fn not_a_byte_of_the_stream_behind_the_header_is_taken_however_it_is_cut() {
        let (mut proxy, mut stream) = tokio::io::duplex(1);
        let sender = tokio::spawn(async move { proxy.write_all(&[HEADER, b"<13>hello"].concat()).await.unwrap() });
        assert_eq!(source(&mut stream).await, Ok(Some("192.0.2.7:12345".parse().unwrap())));
        let mut rest = String::new();
        stream.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "<13>hello");
        sender.await.unwrap();
    }

    #[tokio::test]
    async fn what_is_no_header_is_kept_up_to_its_fixed_length() {
        let refused = source(&mut &b"<13>a line that came without a header\n"[..]).await.unwrap_err();
        assert_eq!(refused.beginning, &b"<13>a line that "[..]);
        let ended = source(&mut &HEADER[..20]).await.unwrap_err();
        assert_eq!(ended.beginning, &HEADER[..20]);
        assert!(ended.problem.contains("ended"), "{ended:?}");
    }

    #[tokio::test]
    async fn a_proxy_that_says_nothing_is_not_waited_for_for_ever() {
        let (_proxy, mut stream) = tokio::io::duplex(1);
        let refused = source_until(&mut stream, Instant::now()).await.unwrap_err();
        assert!(refused.beginning.is_empty() && refused.problem.contains("within 10 s"), "{refused:?}");
    }
}
