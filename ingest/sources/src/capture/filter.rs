//! The classic BPF program that lets DHCP through: UDP ports 67 and 68 over IPv4, 546 and 547 over IPv6, without a VLAN tag or with one or two.
//!
//! Fragments but the first carry no ports and are not let through; the first is, so that it is refused and counted. IPv6 extension headers are
//! not looked behind: DHCPv6 has none.

use socket2::SockFilter;

// Instruction codes, include/uapi/linux/filter.h and bpf_common.h.
const LOAD_HALF: u16 = (libc::BPF_LD | libc::BPF_H | libc::BPF_ABS) as u16;
const LOAD_HALF_AT_X: u16 = (libc::BPF_LD | libc::BPF_H | libc::BPF_IND) as u16;
const LOAD_BYTE_AT_X: u16 = (libc::BPF_LD | libc::BPF_B | libc::BPF_IND) as u16;
const SET_X: u16 = (libc::BPF_LDX | libc::BPF_W | libc::BPF_IMM) as u16;
const AND: u16 = (libc::BPF_ALU | libc::BPF_AND | libc::BPF_K) as u16;
const SHIFT_LEFT: u16 = (libc::BPF_ALU | libc::BPF_LSH | libc::BPF_K) as u16;
const ADD_X: u16 = (libc::BPF_ALU | libc::BPF_ADD | libc::BPF_X) as u16;
const A_TO_X: u16 = (libc::BPF_MISC | libc::BPF_TAX) as u16;
const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const IF_BITS: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

const ALL_BYTES: u32 = 0x0004_0000;
const UDP: u32 = 17;

/// Offsets are counted from X, the bytes that VLAN tags take.
const PROGRAM: [(u16, u8, u8, u32); 39] = [
    // A tag in place of the EtherType: look 4 bytes further, twice at most.
    (SET_X, 0, 0, 0),
    (LOAD_HALF, 0, 0, 12),
    (IF_EQUAL, 2, 0, 0x8100),
    (IF_EQUAL, 1, 0, 0x88a8),
    (IF_EQUAL, 0, 7, 0x9100),
    (SET_X, 0, 0, 4),
    (LOAD_HALF, 0, 0, 16),
    (IF_EQUAL, 2, 0, 0x8100),
    (IF_EQUAL, 1, 0, 0x88a8),
    (IF_EQUAL, 0, 2, 0x9100),
    (SET_X, 0, 0, 8),
    (LOAD_HALF, 0, 0, 20),
    // 12: IPv4 goes on at 14, IPv6 at 29, anything else at the end.
    (IF_EQUAL, 1, 0, 0x0800),
    (IF_EQUAL, 15, 24, 0x86dd),
    // 14: IPv4. UDP, and no later fragment.
    (LOAD_BYTE_AT_X, 0, 0, 23),
    (IF_EQUAL, 0, 22, UDP),
    (LOAD_HALF_AT_X, 0, 0, 20),
    (IF_BITS, 20, 0, 0x1fff),
    // X becomes the bytes of tags and IPv4 header.
    (LOAD_BYTE_AT_X, 0, 0, 14),
    (AND, 0, 0, 0x0f),
    (SHIFT_LEFT, 0, 0, 2),
    (ADD_X, 0, 0, 0),
    (A_TO_X, 0, 0, 0),
    (LOAD_HALF_AT_X, 0, 0, 14),
    (IF_EQUAL, 12, 0, 67),
    (IF_EQUAL, 11, 0, 68),
    (LOAD_HALF_AT_X, 0, 0, 16),
    (IF_EQUAL, 9, 0, 67),
    (IF_EQUAL, 8, 9, 68),
    // 29: IPv6.
    (LOAD_BYTE_AT_X, 0, 0, 20),
    (IF_EQUAL, 0, 7, UDP),
    (LOAD_HALF_AT_X, 0, 0, 54),
    (IF_EQUAL, 4, 0, 546),
    (IF_EQUAL, 3, 0, 547),
    (LOAD_HALF_AT_X, 0, 0, 56),
    (IF_EQUAL, 1, 0, 546),
    (IF_EQUAL, 0, 1, 547),
    // 37: taken; 38: not taken.
    (RETURN, 0, 0, ALL_BYTES),
    (RETURN, 0, 0, 0),
];

/// The program, for `SO_ATTACH_FILTER`.
pub(super) fn dhcp() -> Vec<SockFilter> {
    PROGRAM.iter().map(|(code, if_true, if_false, k)| SockFilter::new(*code, *if_true, *if_false, *k)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the kernel's interpreter does with these instructions; a load beyond the frame refuses it.
    fn takes(frame: &[u8]) -> bool {
        let half = |at: usize| frame.get(at..at + 2).map(|bytes| u32::from(u16::from_be_bytes([bytes[0], bytes[1]])));
        let byte = |at: usize| frame.get(at).map(|byte| u32::from(*byte));
        let (mut a, mut x, mut at) = (0_u32, 0_u32, 0);
        loop {
            let (code, if_true, if_false, k) = PROGRAM[at];
            at += 1;
            let place = (x + k) as usize;
            let loaded = match code {
                LOAD_HALF => half(k as usize),
                LOAD_HALF_AT_X => half(place),
                LOAD_BYTE_AT_X => byte(place),
                _ => Some(a),
            };
            let Some(loaded) = loaded else { return false };
            a = loaded;
            match code {
                SET_X => x = k,
                A_TO_X => x = a,
                AND => a &= k,
                SHIFT_LEFT => a <<= k,
                ADD_X => a += x,
                IF_EQUAL => at += usize::from(if a == k { if_true } else { if_false }),
                IF_BITS => at += usize::from(if a & k != 0 { if_true } else { if_false }),
                RETURN => return k != 0,
                _ => {}
            }
        }
    }

    fn frame(tags: usize, ether_type: u16, after: &[u8]) -> Vec<u8> {
        let mut frame = vec![0; 12];
        (0..tags).for_each(|_| frame.extend_from_slice(&[0x81, 0, 0, 20]));
        frame.extend_from_slice(&ether_type.to_be_bytes());
        frame.extend_from_slice(after);
        frame
    }

    fn v4(words: u8, protocol: u8, fragment: u16, source: u16, destination: u16) -> Vec<u8> {
        let mut packet = vec![0; usize::from(words) * 4];
        packet[0] = 0x40 | words;
        packet[6..8].copy_from_slice(&fragment.to_be_bytes());
        packet[9] = protocol;
        packet.extend_from_slice(&source.to_be_bytes());
        packet.extend_from_slice(&destination.to_be_bytes());
        packet.extend_from_slice(&[0; 4]);
        packet
    }

    fn v6(next_header: u8, source: u16, destination: u16) -> Vec<u8> {
        let mut packet = vec![0; 40];
        packet[6] = next_header;
        packet.extend_from_slice(&source.to_be_bytes());
        packet.extend_from_slice(&destination.to_be_bytes());
        packet
    }

    #[test]
    fn dhcp_is_taken_in_both_directions_with_and_without_tags_and_ip_options() {
        for tags in 0..=2 {
            for (source, destination) in [(68, 67), (67, 68), (67, 67), (40_000, 67), (68, 9)] {
                for words in [5, 6, 15] {
                    assert!(takes(&frame(tags, 0x0800, &v4(words, 17, 0, source, destination))), "{tags} tags, {source} to {destination}");
                }
            }
            for (source, destination) in [(546, 547), (547, 546), (547, 547), (40_000, 547), (546, 9)] {
                assert!(takes(&frame(tags, 0x86dd, &v6(17, source, destination))), "{tags} tags, {source} to {destination}");
            }
        }
    }

    #[test]
    fn everything_else_is_not_taken() {
        for tags in 0..=2 {
            assert!(!takes(&frame(tags, 0x0800, &v4(5, 17, 0, 53, 40_000))));
            assert!(!takes(&frame(tags, 0x0800, &v4(5, 17, 0, 546, 547))));
            assert!(!takes(&frame(tags, 0x0800, &v4(5, 6, 0, 68, 67))));
            assert!(!takes(&frame(tags, 0x86dd, &v6(17, 67, 68))));
            assert!(!takes(&frame(tags, 0x86dd, &v6(6, 546, 547))));
            assert!(!takes(&frame(tags, 0x0806, &[0; 28])));
        }
        assert!(!takes(&frame(3, 0x0800, &v4(5, 17, 0, 68, 67))));
        assert!(!takes(&[0; 10]));
    }

    #[test]
    fn of_a_fragmented_packet_the_first_piece_alone_is_taken() {
        assert!(takes(&frame(0, 0x0800, &v4(5, 17, 0x2000, 68, 67))));
        assert!(!takes(&frame(0, 0x0800, &v4(5, 17, 0x2001, 68, 67))));
        assert!(!takes(&frame(0, 0x0800, &v4(5, 17, 0x00b9, 68, 67))));
    }
}
