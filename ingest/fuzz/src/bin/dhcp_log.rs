#![no_main]
//! Any bytes as a line of each DHCP server: a syslog message, perhaps a DHCP event beside it, never a panic.

use libfuzzer_sys::fuzz_target;
use tocsin_parse::Format;

fuzz_target!(|line: &[u8]| {
    let headers = [
        "<30>Nov 20 12:00:00 h dhcpd[1]: ",
        "<30>Nov 20 12:00:00 h dnsmasq-dhcp[1]: ",
        "<30>Nov 20 12:00:00 h kea-dhcp4[1]: ",
        "<14>Nov 20 12:00:00 h 10,11/20/26,12:00:00,",
        "<30>Nov 20 12:00:00 h dhcp,info dhcp1 ",
        "<190>date=2026-11-20 time=12:00:00 logid=1 type=event dhcp_msg=",
        "<134>1 1795175999.123456789 h events dhcp lease of ip ",
    ];
    for header in headers {
        let mut message = header.as_bytes().to_vec();
        message.extend_from_slice(line);
        let mut answers = 0;
        Format::Syslog.parse(&message, 1_795_176_000_000_000_000, |_| answers += 1);
        assert!(answers > 0);
    }
});
