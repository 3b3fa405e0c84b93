//! The PROXY protocol, version 2, as HAProxy and others send it: who is behind a proxy, said before the first byte of a connection.
//! (haproxy.org, doc/proxy-protocol.txt, section 2.2)

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The part that every header has: signature, version, command, family, length of the rest.
pub const FIXED_BYTES: usize = 16;
/// The longest rest that is taken: two Unix addresses and room for what proxies add (the name that a TLS client asked for, a certificate's).
pub const MAX_REST_BYTES: usize = 2_048;

const SIGNATURE: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";
const VERSION: u8 = 2;
const LOCAL: u8 = 0;
const PROXY: u8 = 1;
const TCP_OVER_IPV4: u8 = 0x11;
const TCP_OVER_IPV6: u8 = 0x21;
/// Unknown, or a Unix socket: there is no address to tell.
const WITHOUT_ADDRESS: [u8; 3] = [0x00, 0x31, 0x32];

/// What the fixed part announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    command: u8,
    family: u8,
    /// Bytes that follow the fixed part.
    pub rest_bytes: usize,
}

impl Header {
    /// Reads the fixed part. The error is a clause that says what is wrong with it.
    pub fn read(fixed: &[u8; FIXED_BYTES]) -> Result<Self, &'static str> {
        let [signature @ .., version_and_command, family, high, low] = fixed;
        let rest_bytes = usize::from(u16::from_be_bytes([*high, *low]));
        let command = version_and_command & 0x0f;
        if signature != SIGNATURE {
            return Err("it does not begin with the signature of a PROXY header of version 2");
        }
        if version_and_command >> 4 != VERSION || command > PROXY {
            return Err("its PROXY header is of an unknown version or command");
        }
        if rest_bytes > MAX_REST_BYTES {
            return Err("its PROXY header is longer than 2,064 bytes");
        }
        Ok(Self { command, family: *family, rest_bytes })
    }

    /// Who is behind the proxy, from the rest of the header; `None` where the proxy speaks for itself, as for a health check.
    pub fn source(self, rest: &[u8]) -> Result<Option<SocketAddr>, &'static str> {
        const SHORT: &str = "its PROXY header is too short for its addresses";
        match (self.command, self.family) {
            (LOCAL, _) => Ok(None),
            (_, TCP_OVER_IPV4) => {
                let &[a, b, c, d, _, _, _, _, high, low, ..] = rest.get(..12).ok_or(SHORT)? else { return Err(SHORT) };
                Ok(Some(SocketAddr::new(Ipv4Addr::new(a, b, c, d).into(), u16::from_be_bytes([high, low]))))
            }
            (_, TCP_OVER_IPV6) => {
                let addresses = rest.get(..36).ok_or(SHORT)?;
                let source: [u8; 16] = addresses[..16].try_into().map_err(|_| SHORT)?;
                let port = u16::from_be_bytes([addresses[32], addresses[33]]);
                Ok(Some(SocketAddr::new(IpAddr::from(Ipv6Addr::from(source)).to_canonical(), port)))
            }
            (_, family) if WITHOUT_ADDRESS.contains(&family) => Ok(None),
            _ => Err("its PROXY header is of a connection that is not TCP"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(header: &[u8]) -> Result<Option<SocketAddr>, &'static str> {
        let (fixed, rest) = header.split_at(FIXED_BYTES);
        let header = Header::read(fixed.try_into().unwrap())?;
        assert_eq!(header.rest_bytes, rest.len(), "the length that it announces");
        header.source(rest)
    }

    fn header(version_and_command: u8, family: u8, rest: &[u8]) -> Vec<u8> {
        let length = u16::try_from(rest.len()).unwrap().to_be_bytes();
        [&SIGNATURE[..], &[version_and_command, family], &length, rest].concat()
    }

    #[test]
    fn the_sender_behind_the_proxy_is_told_in_both_families_with_and_without_extensions() {
        let ipv4 = [192, 0, 2, 7, 198, 51, 100, 1, 0x30, 0x39, 0x02, 0x02];
        assert_eq!(told(&header(0x21, 0x11, &ipv4)), Ok(Some("192.0.2.7:12345".parse().unwrap())));
        let with_extension = [&ipv4[..], &[0x04, 0, 1, 0]].concat();
        assert_eq!(told(&header(0x21, 0x11, &with_extension)), Ok(Some("192.0.2.7:12345".parse().unwrap())));
        let address = |text: &str| text.parse::<Ipv6Addr>().unwrap().octets();
        let ipv6 = |source: &str| [&address(source)[..], &address("2001:db8::1"), &[0x30, 0x39, 0x02, 0x02]].concat();
        assert_eq!(told(&header(0x21, 0x21, &ipv6("2001:db8::7"))), Ok(Some("[2001:db8::7]:12345".parse().unwrap())));
        assert_eq!(told(&header(0x21, 0x21, &ipv6("::ffff:192.0.2.7"))), Ok(Some("192.0.2.7:12345".parse().unwrap())));
    }

    #[test]
    fn a_proxy_that_speaks_for_itself_tells_no_address() {
        assert_eq!(told(&header(0x20, 0x00, &[])), Ok(None));
        assert_eq!(told(&header(0x20, 0x11, &[1])), Ok(None));
        assert_eq!(told(&header(0x21, 0x00, &[])), Ok(None));
        assert_eq!(told(&header(0x21, 0x31, &[0; 216])), Ok(None));
    }

    #[test]
    fn what_is_no_header_says_why() {
        let refused = |bytes: &[u8], why: &str| {
            let problem = told(bytes).unwrap_err();
            assert!(problem.contains(why), "{problem}");
        };
        refused(b"<13>Nov 20 12:00:00 n1", "signature");
        refused(b"PROXY TCP4 192.0.2.7 198.51.100.1 1 2\r\n", "signature");
        refused(&header(0x11, 0x11, &[0; 12]), "version or command");
        refused(&header(0x22, 0x11, &[0; 12]), "version or command");
        refused(&header(0x21, 0x11, &[0; 11]), "too short");
        refused(&header(0x21, 0x21, &[0; 35]), "too short");
        refused(&header(0x21, 0x12, &[0; 12]), "not TCP");
        refused(&header(0x21, 0x11, &[0; MAX_REST_BYTES + 1]), "longer than");
    }
}
