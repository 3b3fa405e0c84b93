#![no_main]
//! Any bytes as a line of each DHCP server: a syslog message, perhaps a DHCP event beside it, never a panic.

use libfuzzer_sys::fuzz_target;
use tocsin_parse::Format;

fuzz_target!(|line: &[u8]| {
    for program in ["dhcpd", "dnsmasq-dhcp", "kea-dhcp4"] {
        let mut message = format!("<30>Nov 20 12:00:00 h {program}[1]: ").into_bytes();
        message.extend_from_slice(line);
        let mut answers = 0;
        Format::Syslog.parse(&message, 1_795_176_000_000_000_000, |_| answers += 1);
        assert!(answers > 0);
    }
});
