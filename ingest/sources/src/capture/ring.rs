//! `PACKET_RX_RING`, version 3 (`TPACKET_V3`, packet(7) and Documentation/networking/packet_mmap.rst): frames that the kernel writes into memory
//! which it shares with us, block by block. No safe wrapper of it is well kept, hence the unsafe calls; everything that is unsafe about capturing
//! stands in this file.
//!
//! A block belongs to the kernel until it is full or `RETIRE_AFTER` has passed, then to us until its status is written back. The kernel drops
//! what comes while it has no block, and counts it.

use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use socket2::{Domain, Socket, Type};

/// Bytes of a block: some hundred packets, and more than the longest frame.
pub(super) const BLOCK_BYTES: usize = 128 * 1024;
/// After so long a block that is not full is handed over: the delay of a packet that comes alone.
pub(super) const RETIRE_AFTER: Duration = Duration::from_millis(8);
/// What the kernel's check of a request wants; frames of version 3 have the size that they have.
const FRAME_BYTES: usize = 2048;

/// A bound packet socket with its ring.
#[derive(Debug)]
pub(super) struct Ring {
    socket: Socket,
    memory: NonNull<u8>,
    blocks: usize,
}

// SAFETY: the memory is shared with the kernel and lives as long as the value; statuses are read and written atomically, and frames of a block
// are only read between finding the block ours and giving it back, which `take_block` does under `&mut Cursor`, of which there is one.
unsafe impl Send for Ring {}
// SAFETY: as above.
unsafe impl Sync for Ring {}

/// The place of the next block; whoever has it may read frames.
#[derive(Debug, Default)]
pub(super) struct Cursor(usize);

/// A frame in the ring.
pub(super) struct RingFrame<'a> {
    pub(super) bytes: &'a [u8],
    /// Longer than `bytes` where the block had no room.
    pub(super) original_bytes: usize,
    pub(super) unix_nanos: u64,
    /// VLAN tag that the kernel took out of the frame: protocol and tag.
    pub(super) vlan: Option<(u16, u16)>,
}

/// What an interface is bound with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    pub(super) interface_index: u32,
    pub(super) is_promiscuous: bool,
}

impl Ring {
    /// Opens a socket with a ring of `blocks` blocks. It receives nothing before it is bound.
    pub(super) fn open(blocks: usize, filter: &[socket2::SockFilter]) -> io::Result<Self> {
        let socket = Socket::new(Domain::PACKET, Type::RAW, None)?;
        socket.attach_filter(filter)?;
        let version = libc::tpacket_versions::TPACKET_V3 as libc::c_int;
        set_option(&socket, libc::PACKET_VERSION, &version)?;
        let length = |bytes: usize| libc::c_uint::try_from(bytes).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput));
        let request = libc::tpacket_req3 {
            tp_block_size: length(BLOCK_BYTES)?,
            tp_block_nr: length(blocks)?,
            tp_frame_size: length(FRAME_BYTES)?,
            tp_frame_nr: length(blocks * (BLOCK_BYTES / FRAME_BYTES))?,
            tp_retire_blk_tov: RETIRE_AFTER.as_millis() as libc::c_uint,
            tp_sizeof_priv: 0,
            tp_feature_req_word: 0,
        };
        set_option(&socket, libc::PACKET_RX_RING, &request)?;
        // SAFETY: a new mapping at an address of the kernel's choice; nothing else is touched. The descriptor is open.
        let memory = unsafe {
            libc::mmap(ptr::null_mut(), blocks * BLOCK_BYTES, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, socket.as_raw_fd(), 0)
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let memory = NonNull::new(memory.cast::<u8>()).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        Ok(Self { socket, memory, blocks })
    }

    /// Begins to receive the frames of an interface, both directions. On the loopback interface, where each frame passes twice, only the
    /// incoming ones. Returns the interface's hardware type (ARPHRD_...).
    pub(super) fn bind(&self, binding: Binding) -> io::Result<u16> {
        let index = libc::c_int::try_from(binding.interface_index).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        // SAFETY: all-zero bytes are a valid sockaddr_ll.
        let mut address: libc::sockaddr_ll = unsafe { mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = index;
        let length = mem::size_of_val(&address) as libc::socklen_t;
        // SAFETY: `address` is a sockaddr_ll of `length` bytes, alive during the call; the descriptor is open.
        check(unsafe { libc::bind(self.socket.as_raw_fd(), (&raw const address).cast::<libc::sockaddr>(), length) })?;
        let mut length = length;
        // SAFETY: the kernel writes at most `length` bytes into `address`, which has as many.
        check(unsafe { libc::getsockname(self.socket.as_raw_fd(), (&raw mut address).cast::<libc::sockaddr>(), &raw mut length) })?;
        let is_loopback = address.sll_hatype == libc::ARPHRD_LOOPBACK;
        set_option(&self.socket, libc::PACKET_IGNORE_OUTGOING, &libc::c_int::from(is_loopback))?;
        // DHCPv6 clients send to a multicast group that this host need not have joined.
        let mode = if binding.is_promiscuous { libc::PACKET_MR_PROMISC } else { libc::PACKET_MR_ALLMULTI };
        let membership = libc::packet_mreq { mr_ifindex: index, mr_type: mode as libc::c_ushort, mr_alen: 0, mr_address: [0; 8] };
        set_option(&self.socket, libc::PACKET_ADD_MEMBERSHIP, &membership)?;
        Ok(address.sll_hatype)
    }

    /// Size of the ring.
    pub(super) fn bytes(&self) -> u64 {
        (self.blocks * BLOCK_BYTES) as u64
    }

    /// Bytes of the blocks that wait to be read.
    pub(super) fn used_bytes(&self) -> u64 {
        let ours = (0..self.blocks).filter(|index| self.is_ours(*index)).count();
        (ours * BLOCK_BYTES) as u64
    }

    /// Frames that the kernel dropped since the last call, which resets its counter.
    pub(super) fn drops_since_last(&self) -> io::Result<u64> {
        let mut statistics = libc::tpacket_stats_v3 { tp_packets: 0, tp_drops: 0, tp_freeze_q_cnt: 0 };
        let mut length = mem::size_of_val(&statistics) as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` bytes into `statistics`, which has as many; the descriptor is open.
        check(unsafe {
            libc::getsockopt(
                self.socket.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                (&raw mut statistics).cast::<libc::c_void>(),
                &raw mut length,
            )
        })?;
        Ok(u64::from(statistics.tp_drops))
    }

    /// What went wrong with the interface since the last call, as when it goes down.
    pub(super) fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.socket.take_error()
    }

    /// Calls `each` for the frames of the next block and gives the block back. False where the kernel still has it.
    pub(super) fn take_block(&self, cursor: &mut Cursor, each: impl FnMut(RingFrame<'_>)) -> bool {
        if !self.is_ours(cursor.0) {
            return false;
        }
        self.frames(cursor.0, each);
        self.status(cursor.0).store(libc::TP_STATUS_KERNEL, Ordering::Release);
        cursor.0 = (cursor.0 + 1) % self.blocks;
        true
    }

    fn is_ours(&self, index: usize) -> bool {
        self.status(index).load(Ordering::Acquire) & libc::TP_STATUS_USER != 0
    }

    /// Who has a block.
    fn status(&self, index: usize) -> &AtomicU32 {
        let at = index % self.blocks * BLOCK_BYTES
            + mem::offset_of!(libc::tpacket_block_desc, hdr)
            + mem::offset_of!(libc::tpacket_hdr_v1, block_status);
        // SAFETY: within the mapping, aligned to four bytes (blocks are page-aligned), alive as long as `self`; the kernel changes it by whole
        // words.
        unsafe { AtomicU32::from_ptr(self.memory.as_ptr().add(at).cast::<u32>()) }
    }

    /// Walks a block that is ours. Every offset is checked against the block: a mistake of the kernel's must not become ours.
    fn frames(&self, index: usize, mut each: impl FnMut(RingFrame<'_>)) {
        // SAFETY: the block lies within the mapping, and while it is ours the kernel does not write to it.
        let block = unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(index % self.blocks * BLOCK_BYTES), BLOCK_BYTES) };
        let Some(header) = read::<libc::tpacket_hdr_v1>(block, mem::offset_of!(libc::tpacket_block_desc, hdr)) else { return };
        let mut at = header.offset_to_first_pkt as usize;
        for _ in 0..header.num_pkts {
            let Some(frame) = read::<libc::tpacket3_hdr>(block, at) else { return };
            let start = at + usize::from(frame.tp_mac);
            let Some(bytes) = block.get(start..start + frame.tp_snaplen as usize) else { return };
            let has_tag = frame.tp_status & libc::TP_STATUS_VLAN_VALID != 0;
            let has_protocol = frame.tp_status & libc::TP_STATUS_VLAN_TPID_VALID != 0;
            let protocol = if has_protocol { frame.hv1.tp_vlan_tpid } else { libc::ETH_P_8021Q as u16 };
            each(RingFrame {
                bytes,
                original_bytes: frame.tp_len as usize,
                unix_nanos: u64::from(frame.tp_sec) * 1_000_000_000 + u64::from(frame.tp_nsec),
                vlan: has_tag.then_some((protocol, frame.hv1.tp_vlan_tci as u16)),
            });
            if frame.tp_next_offset == 0 {
                return;
            }
            at += frame.tp_next_offset as usize;
        }
    }
}

impl AsFd for Ring {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `open` with this length, and no slice of it outlives `take_block`.
        unsafe { libc::munmap(self.memory.as_ptr().cast::<libc::c_void>(), self.blocks * BLOCK_BYTES) };
    }
}

/// One of the kernel's structures of plain numbers, copied out of a block.
trait KernelNumbers: Copy {}
impl KernelNumbers for libc::tpacket_hdr_v1 {}
impl KernelNumbers for libc::tpacket3_hdr {}

fn read<T: KernelNumbers>(block: &[u8], at: usize) -> Option<T> {
    let bytes = block.get(at..at.checked_add(mem::size_of::<T>())?)?;
    // SAFETY: `bytes` has the size of `T`, any bytes are a valid `T`, and the read needs no alignment.
    Some(unsafe { ptr::read_unaligned(bytes.as_ptr().cast::<T>()) })
}

fn set_option<T>(socket: &Socket, name: libc::c_int, value: &T) -> io::Result<()> {
    let length = mem::size_of::<T>() as libc::socklen_t;
    // SAFETY: the kernel reads `length` bytes of `value`, which has as many; the descriptor is open.
    check(unsafe { libc::setsockopt(socket.as_raw_fd(), libc::SOL_PACKET, name, ptr::from_ref(value).cast::<libc::c_void>(), length) })
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
