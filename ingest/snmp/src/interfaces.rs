//! Interfaces of a device at one poll (IF-MIB, RFC 2863), and what has gone through them since the poll before.

use std::collections::BTreeMap;

use tocsin_wire::events::InterfaceCounters;
use tocsin_wire::events::interface_counters::Status;

use super::oid::Oid;
use super::walk::{Cell, Row};

/// Where sysUpTime and 32-bit counters begin again.
const WRAP_32: u64 = 1 << 32;
/// How much slower than ours a device's clock may seem before it has been restarted: a share, and milliseconds for a slow answer.
const MAX_CLOCK_LAG: f64 = 0.1;
const MAX_CLOCK_LAG_MS: f64 = 5_000.0;
/// What an interface may seem to carry beyond its speed: counters and clocks are not read in one moment.
const MAX_LOAD: f64 = 1.5;

/// A column of ifTable (1) or ifXTable (31.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Column {
    Descr,
    Speed,
    AdminStatus,
    OperStatus,
    InOctets,
    InUcastPkts,
    InDiscards,
    InErrors,
    OutOctets,
    OutUcastPkts,
    OutDiscards,
    OutErrors,
    Name,
    HcInOctets,
    HcInUcastPkts,
    HcOutOctets,
    HcOutUcastPkts,
    HighSpeed,
    Alias,
    DiscontinuityTime,
}

const IF_ENTRY: [u32; 9] = [1, 3, 6, 1, 2, 1, 2, 2, 1];
const IF_X_ENTRY: [u32; 10] = [1, 3, 6, 1, 2, 1, 31, 1, 1, 1];

/// What an answer of one walk has for one row; few enough for a datagram of 1,500 bytes with some rows.
const GROUPS: [&[(Column, bool, u32)]; 4] = {
    use Column::{
        AdminStatus, Alias, Descr, DiscontinuityTime, HcInOctets, HcInUcastPkts, HcOutOctets, HcOutUcastPkts, HighSpeed, InDiscards,
        InErrors, InOctets, InUcastPkts, Name, OperStatus, OutDiscards, OutErrors, OutOctets, OutUcastPkts, Speed,
    };
    [
        &[(Name, true, 1), (Descr, false, 2), (Alias, true, 18), (AdminStatus, false, 7), (OperStatus, false, 8)],
        &[(HcInOctets, true, 6), (HcOutOctets, true, 10), (HcInUcastPkts, true, 7), (HcOutUcastPkts, true, 11)],
        &[(InDiscards, false, 13), (InErrors, false, 14), (OutDiscards, false, 19), (OutErrors, false, 20), (DiscontinuityTime, true, 19)],
        &[
            (HighSpeed, true, 15),
            (Speed, false, 5),
            (InOctets, false, 10),
            (OutOctets, false, 16),
            (InUcastPkts, false, 11),
            (OutUcastPkts, false, 17),
        ],
    ]
};

/// Columns to be walked together, group by group.
pub fn column_groups() -> Vec<Vec<Oid>> {
    let oid = |(_, is_extended, number): &(Column, bool, u32)| {
        if *is_extended { Oid::new(&IF_X_ENTRY).with(&[*number]) } else { Oid::new(&IF_ENTRY).with(&[*number]) }
    };
    GROUPS.iter().map(|group| group.iter().map(oid).collect()).collect()
}

/// The interfaces of one poll as they are read.
#[derive(Clone, Debug, Default)]
pub struct Table(BTreeMap<u32, BTreeMap<Column, Cell>>);

impl Table {
    /// Takes rows of the walk of a group, by its place in [`column_groups`].
    pub fn take(&mut self, group: usize, rows: Vec<Row>) {
        for Row { column, instance, cell } in rows {
            if let (Some((column, ..)), &[index]) = (GROUPS.get(group).and_then(|group| group.get(column)), instance.as_slice()) {
                self.0.entry(index).or_default().insert(*column, cell);
            }
        }
    }

    /// The interfaces, in the order of their index.
    pub fn into_readings(self) -> Vec<Reading> {
        self.0.into_iter().map(|(index, cells)| Reading::of(index, &cells)).collect()
    }
}

/// A counter and where it begins again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counter {
    value: u64,
    bits: u32,
}

/// One interface as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// ifName, else ifDescr, else the index.
    pub name: String,
    /// ifAlias.
    pub alias: String,
    index: u32,
    in_octets: Counter,
    out_octets: Counter,
    in_packets: u64,
    out_packets: u64,
    in_errors: Counter,
    out_errors: u64,
    in_discards: u64,
    out_discards: Counter,
    speed_bps: u64,
    oper_status: i32,
    admin_status: i32,
    discontinuity_centiseconds: u64,
}

impl Reading {
    fn of(index: u32, cells: &BTreeMap<Column, Cell>) -> Self {
        let number = |column| cells.get(&column).and_then(Cell::unsigned);
        let text = |column| cells.get(&column).map(Cell::text).filter(|text| !text.is_empty());
        let counter = |columns: &[Column]| {
            columns.iter().find_map(|column| match cells.get(column) {
                Some(Cell::Number { value, bits }) => u64::try_from(*value).ok().map(|value| Counter { value, bits: *bits }),
                _ => None,
            })
        };
        let status =
            |column| number(column).and_then(|status| i32::try_from(status).ok()).filter(|status| Status::try_from(*status).is_ok());
        // ifSpeed stays at its maximum where it cannot tell; ifHighSpeed is 0 below half a megabit.
        let high_speed = number(Column::HighSpeed).filter(|speed| *speed > 0).map(|speed| speed.saturating_mul(1_000_000));
        Self {
            name: text(Column::Name).or_else(|| text(Column::Descr)).unwrap_or_else(|| index.to_string()),
            alias: text(Column::Alias).unwrap_or_default(),
            index,
            in_octets: counter(&[Column::HcInOctets, Column::InOctets]).unwrap_or_default(),
            out_octets: counter(&[Column::HcOutOctets, Column::OutOctets]).unwrap_or_default(),
            in_packets: number(Column::HcInUcastPkts).or_else(|| number(Column::InUcastPkts)).unwrap_or_default(),
            out_packets: number(Column::HcOutUcastPkts).or_else(|| number(Column::OutUcastPkts)).unwrap_or_default(),
            in_errors: counter(&[Column::InErrors]).unwrap_or_default(),
            out_errors: number(Column::OutErrors).unwrap_or_default(),
            in_discards: number(Column::InDiscards).unwrap_or_default(),
            out_discards: counter(&[Column::OutDiscards]).unwrap_or_default(),
            speed_bps: high_speed.or_else(|| number(Column::Speed)).unwrap_or_default(),
            oper_status: status(Column::OperStatus).unwrap_or_default(),
            admin_status: status(Column::AdminStatus).unwrap_or_default(),
            discontinuity_centiseconds: number(Column::DiscontinuityTime).unwrap_or_default(),
        }
    }
}

/// When a device was polled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Our clock, which never goes back, milliseconds.
    pub monotonic_ms: u64,
    /// sysUpTime of the device.
    pub uptime_centiseconds: u64,
}

impl Moment {
    /// Milliseconds since `before` by the device's clock; `None` where it has been restarted meanwhile.
    fn since(self, before: Self) -> Option<u64> {
        let elapsed_ms = self.monotonic_ms.checked_sub(before.monotonic_ms).filter(|elapsed| *elapsed > 0)?;
        let forward = self.uptime_centiseconds.checked_sub(before.uptime_centiseconds);
        // sysUpTime begins again after 497 days; then it has gone on as long as our clock, and after a restart it has not.
        let advance_ms = forward.unwrap_or((self.uptime_centiseconds + WRAP_32).saturating_sub(before.uptime_centiseconds)) * 10;
        let lag_ms = elapsed_ms as f64 - advance_ms as f64;
        let max_lag_ms = MAX_CLOCK_LAG_MS.max(elapsed_ms as f64 * MAX_CLOCK_LAG);
        // A clock that seems to have gone too far has no meaning either: the restart of an agent that counts from somewhere else.
        (lag_ms.abs() <= max_lag_ms && advance_ms > 0).then_some(advance_ms)
    }
}

/// What an event says of one interface. Rates are unset without a reading before, and across a restart or a discontinuity.
pub fn counters(now: (&Reading, Moment), before: Option<(&Reading, Moment)>) -> InterfaceCounters {
    let (reading, moment) = now;
    let mut body = InterfaceCounters {
        interface: reading.name.clone(),
        if_index: reading.index,
        alias: reading.alias.clone(),
        in_octets: reading.in_octets.value,
        out_octets: reading.out_octets.value,
        in_packets: reading.in_packets,
        out_packets: reading.out_packets,
        in_errors: reading.in_errors.value,
        out_errors: reading.out_errors,
        in_discards: reading.in_discards,
        out_discards: reading.out_discards.value,
        speed_bps: reading.speed_bps,
        oper_status: reading.oper_status,
        admin_status: reading.admin_status,
        uptime_centiseconds: moment.uptime_centiseconds,
        ..InterfaceCounters::default()
    };
    let Some((last, last_moment)) = before else { return body };
    body.interval_ms = moment.monotonic_ms.saturating_sub(last_moment.monotonic_ms);
    let is_continuous = last.name == reading.name && last.discontinuity_centiseconds == reading.discontinuity_centiseconds;
    let Some(interval_ms) = moment.since(last_moment).filter(|_| is_continuous) else { return body };
    body.interval_ms = interval_ms;
    let seconds = interval_ms as f64 / 1_000.0;
    let per_second = |now: Counter, before: Counter| growth(now, before).map(|growth| growth as f64 / seconds);
    let bps = |now, before| {
        let bps = per_second(now, before)? * 8.0;
        let is_possible = reading.speed_bps == 0 || now.bits > 32 || bps <= reading.speed_bps as f64 * MAX_LOAD;
        is_possible.then_some(bps)
    };
    let load = |bps: Option<f64>| bps.filter(|_| reading.speed_bps > 0).map(|bps| (bps / reading.speed_bps as f64).min(1.0));
    body.in_bps = bps(reading.in_octets, last.in_octets);
    body.out_bps = bps(reading.out_octets, last.out_octets);
    body.in_load = load(body.in_bps);
    body.out_load = load(body.out_bps);
    body.out_discards_per_second = per_second(reading.out_discards, last.out_discards);
    body.in_errors_per_second = per_second(reading.in_errors, last.in_errors);
    body
}

/// What a counter has grown by; a 32-bit one may have begun again once. `None` for one that was set back, or is another one now.
fn growth(now: Counter, before: Counter) -> Option<u64> {
    if now.bits != before.bits || now.bits == 0 {
        return None;
    }
    match now.value.checked_sub(before.value) {
        Some(growth) => Some(growth),
        None if now.bits == 32 => (now.value + WRAP_32).checked_sub(before.value),
        None => None,
    }
}

#[cfg(test)]
mod tests;
