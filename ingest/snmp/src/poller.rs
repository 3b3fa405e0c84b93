//! Polling devices: a task a device, which waits without holding anybody up.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tocsin_telemetry::PolledDevices;
use tocsin_wire::Body;
use tocsin_wire::events::Gauge;
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;

use crate::Oid;
use crate::devices::{DeviceConfig, GaugeConfig, matches};
use crate::interfaces::{Moment, Reading, Table, column_groups, counters};
use crate::names::Names;
use crate::pdu::Kind;
use crate::session::{Identity, NO_SUCH_NAME, PollError, Session, TOO_BIG};
use crate::usm::User;
use crate::walk::{Cell, Row, Walk};

const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];
const SYS_NAME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 5, 0];
/// Each interval begins up to this share of it later, so that devices do not stay in step.
const JITTER: f64 = 0.1;
/// Longest name of an instance that a device is believed.
const MAX_NAME_CHARS: usize = 255;

/// What a device told at one moment.
#[derive(Debug)]
pub struct Polled<'a> {
    /// The device's entry of the config.
    pub device: &'a DeviceConfig,
    /// Name of the device: the configured one, else its sysName, else where it is asked.
    pub name: &'a str,
    /// Where it was asked.
    pub peer: Option<SocketAddr>,
    /// One event each.
    pub bodies: Vec<Body>,
}

/// What all devices' tasks share.
#[derive(Clone)]
pub struct Poller {
    /// Takes what devices tell. Must not wait.
    pub sink: Arc<dyn Fn(Polled<'_>) + Send + Sync>,
    /// Knows who answers.
    pub devices: Arc<PolledDevices>,
    /// When the agent started; request ids and salts are other ones after a restart.
    pub started_at_unix_nanos: u64,
}

/// What is asked of a device, and as whom: its entry of the config with secrets read and names looked up.
#[derive(Clone, PartialEq)]
pub struct Plan {
    config: DeviceConfig,
    identity: Identity,
    gauges: Vec<GaugePlan>,
}

/// A gauge whose names are numbers now.
#[derive(Clone, PartialEq)]
struct GaugePlan {
    config: GaugeConfig,
    oid: Oid,
    limit_oid: Option<Oid>,
    instance_oid: Option<Oid>,
}

/// One device's task.
struct Device {
    poller: Poller,
    plan: Plan,
    session: Option<Session>,
    /// As it calls itself; empty where it has not said so, or is not asked.
    sys_name: String,
    last: HashMap<String, (Reading, Moment)>,
    started: Instant,
}

impl Plan {
    /// # Errors
    ///
    /// Where a secret cannot be read, or a user or name is not known.
    pub fn new(config: &DeviceConfig, users: &[User], names: &Names) -> Result<Self, String> {
        let identity = config.identity(users)?;
        let plan = |gauge: &GaugeConfig| {
            let optional = |oid: &str| (!oid.is_empty()).then(|| names.oid(oid)).transpose();
            let (limit_oid, instance_oid) = (optional(&gauge.limit_oid)?, optional(&gauge.instance_oid)?);
            Ok::<_, String>(GaugePlan { oid: names.oid(&gauge.oid)?, limit_oid, instance_oid, config: gauge.clone() })
        };
        let gauges = config.gauges.iter().map(plan).collect::<Result<_, _>>()?;
        Ok(Self { config: config.clone(), identity, gauges })
    }

    /// What the device is called where people look after polls: its configured name, else where it is asked.
    pub fn device(&self) -> &str {
        self.config.label()
    }
}

impl Poller {
    /// Starts the task of a device; it ends on a stop. Must be called inside a tokio runtime.
    pub fn start(&self, plan: Plan, mut stop: watch::Receiver<bool>) -> impl Future<Output = ()> + Send + use<> {
        self.devices.add(plan.device());
        let mut device =
            Device { poller: self.clone(), plan, session: None, sys_name: String::new(), last: HashMap::new(), started: Instant::now() };
        async move {
            let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + device.delay(0, 1.0), device.plan.config.interval);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
            for turn in 1_u64.. {
                tokio::select! {
                    _ = ticks.tick() => {}
                    _ = stop.wait_for(|stops| *stops) => return,
                }
                let jitter = device.delay(turn, JITTER);
                tokio::select! {
                    () = async { tokio::time::sleep(jitter).await; device.poll().await } => {}
                    _ = stop.wait_for(|stops| *stops) => return,
                }
            }
        }
    }
}

impl Device {
    /// A share of the interval, another one each turn and for each device.
    fn delay(&self, turn: u64, share: f64) -> Duration {
        let mut hasher = DefaultHasher::new();
        (self.plan.device(), turn).hash(&mut hasher);
        // The first poll comes soon, also where the interval is long.
        let span = if turn == 0 { self.plan.config.interval.min(Duration::from_secs(10)) } else { self.plan.config.interval };
        span.mul_f64(share * (hasher.finish() % 1_000) as f64 / 1_000.0)
    }

    async fn poll(&mut self) {
        let start = Instant::now();
        match self.ask().await {
            Ok(()) => self.poller.devices.answered(self.plan.device(), start.elapsed()),
            Err(error) => {
                self.session = None;
                self.poller.devices.failed(self.plan.device(), &error.to_string());
            }
        }
    }

    async fn ask(&mut self) -> Result<(), PollError> {
        if self.session.is_none() {
            let DeviceConfig { address, timeout, retries, .. } = &self.plan.config;
            let seed = self.poller.started_at_unix_nanos.wrapping_add(self.started.elapsed().as_nanos() as u64);
            self.session = Some(Session::open(address, self.plan.identity.clone(), *timeout, *retries, seed).await?);
        }
        let Some(session) = &mut self.session else { return Ok(()) };
        if self.plan.config.name.is_empty()
            && let Some(cell) = get(session, &Oid::new(&SYS_NAME)).await?
        {
            self.sys_name = cell.text().trim().chars().filter(|letter| !letter.is_control()).take(MAX_NAME_CHARS).collect();
        }
        if !self.plan.config.interfaces.is_empty() {
            let uptime = get(session, &Oid::new(&SYS_UP_TIME)).await?.and_then(|cell| cell.unsigned()).unwrap_or_default();
            let moment = Moment { monotonic_ms: self.started.elapsed().as_millis() as u64, uptime_centiseconds: uptime };
            let mut table = Table::default();
            for (group, columns) in column_groups().into_iter().enumerate() {
                table.take(group, walk(session, &columns, self.plan.config.max_repetitions).await?);
            }
            self.tell_interfaces(table.into_readings(), moment);
        }
        for index in 0..self.plan.gauges.len() {
            self.ask_gauge(index).await?;
        }
        Ok(())
    }

    fn tell_interfaces(&mut self, readings: Vec<Reading>, moment: Moment) {
        let mut last = HashMap::with_capacity(readings.len());
        let mut bodies = Vec::with_capacity(readings.len());
        for reading in readings.into_iter().filter(|reading| self.plan.config.interfaces.iter().any(|pattern| matches(pattern, reading))) {
            let before = self.last.get(&reading.name).map(|(reading, moment)| (reading, *moment));
            bodies.push(Body::InterfaceCounters(counters((&reading, moment), before)));
            last.insert(reading.name.clone(), (reading, moment));
        }
        self.last = last;
        self.tell(bodies);
    }

    /// The instance itself, or all instances below it.
    async fn ask_gauge(&mut self, index: usize) -> Result<(), PollError> {
        let (Some(session), Some(plan)) = (&mut self.session, self.plan.gauges.get(index)) else { return Ok(()) };
        let mut limit = plan.config.limit;
        if let Some(oid) = &plan.limit_oid {
            limit = get(session, oid).await?.and_then(|cell| cell.number()).map(|limit| limit * plan.config.scale).or(limit);
        }
        let rows = match get(session, &plan.oid).await? {
            Some(cell) => vec![Row { column: 0, instance: Vec::new(), cell }],
            None => walk(session, std::slice::from_ref(&plan.oid), self.plan.config.max_repetitions).await?,
        };
        let mut names = HashMap::new();
        if let Some(column) = plan.instance_oid.as_ref().filter(|_| rows.iter().any(|row| !row.instance.is_empty())) {
            let named = walk(session, std::slice::from_ref(column), self.plan.config.max_repetitions).await?;
            names.extend(named.into_iter().map(|row| (row.instance, row.cell.text().chars().take(MAX_NAME_CHARS).collect::<String>())));
        }
        let numbers = |instance: &[u32]| instance.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        let values = rows.iter().filter_map(|row| Some((row, row.cell.number()?)));
        let bodies: Vec<_> = values
            .map(|(row, value)| {
                Body::Gauge(Gauge {
                    name: plan.config.name.clone(),
                    instance: names.get(&row.instance).filter(|name| !name.is_empty()).cloned().unwrap_or_else(|| numbers(&row.instance)),
                    value: value * plan.config.scale,
                    limit,
                    unit: plan.config.unit.clone(),
                    oid: plan.oid.with(&row.instance).to_string(),
                })
            })
            .collect();
        if bodies.is_empty() {
            self.poller.devices.missing(self.plan.device(), &plan.config.name, &plan.oid.to_string());
        }
        self.tell(bodies);
        Ok(())
    }

    fn tell(&self, bodies: Vec<Body>) {
        let peer = self.session.as_ref().and_then(Session::peer);
        let name = if self.sys_name.is_empty() { self.plan.device() } else { &self.sys_name };
        (self.poller.sink)(Polled { device: &self.plan.config, name, peer, bodies });
    }
}

/// The value of one object; `None` where the device has none.
async fn get(session: &mut Session, oid: &Oid) -> Result<Option<Cell>, PollError> {
    let answer = session.request(Kind::Get, std::slice::from_ref(oid), 0).await?;
    let Ok(pdu) = answer.pdu() else { return Ok(None) };
    match pdu.error_status {
        0 => Ok(pdu.varbinds.first().filter(|varbind| varbind.oid == *oid).and_then(|varbind| Cell::of(&varbind.value))),
        NO_SUCH_NAME => Ok(None),
        status => Err(PollError::Status(status)),
    }
}

/// All rows of some columns, by GetBulk, or by GetNext where the device is of version 1.
async fn walk(session: &mut Session, columns: &[Oid], max_repetitions: u32) -> Result<Vec<Row>, PollError> {
    let kind = if session.is_v1() { Kind::GetNext } else { Kind::GetBulk };
    let (mut walk, mut repetitions, mut rows) = (Walk::new(columns), max_repetitions, Vec::new());
    loop {
        let asked = walk.next_request();
        if asked.is_empty() {
            return Ok(rows);
        }
        let answer = session.request(kind, &asked, repetitions).await?;
        let Ok(pdu) = answer.pdu() else { return Ok(rows) };
        match pdu.error_status {
            0 => rows.extend(walk.take(&pdu.varbinds)),
            TOO_BIG if repetitions > 1 => repetitions /= 2,
            // Version 1 says with it that a column has no successor.
            NO_SUCH_NAME => walk.end_column(usize::try_from(pdu.error_index).unwrap_or_default()),
            status => return Err(PollError::Status(status)),
        }
    }
}
