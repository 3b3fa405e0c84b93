// Rows for benchmarks, made by ClickHouse itself: 30 days of a network of some hundred devices. Fixed functions of the row's number, so
// that two runs store the same.
//
// Lines are made like those of real devices: few templates, few busy devices, numbers that come again (ports, peers, sizes), and some that
// never do (connection ids, temporary ports). One line in about 20,000 carries a rare word; another stands in twenty lines, however many there are.

const daysOfHistory = 30;
const source = 'agent_id, boot_id, agent_sequence, listener, received_at, event_time, source_ip, device, site';
const common = `event_id, ${source}`;

/** When row `number` of `total` happened: evenly over the days before now, in order. */
const time = (total, days = daysOfHistory) =>
  `fromUnixTimestamp64Milli(toUnixTimestamp64Milli(toDateTime64(toStartOfHour(now()), 3)) - ${days * 86_400_000} + intDiv(number * ${days * 86_400_000}, ${total}), 'UTC')`;

const sites = "['dc1', 'dc2', 'plant'][1 + number % 3]";

function envelope(kind, total, device, site = sites) {
  return `concat('bench-1-', '${kind}-', toString(number)), ${sourceOf(kind, total, device, site)}`;
}

function sourceOf(kind, total, device, site = sites, days = daysOfHistory) {
  return `'bench', 1, number, '${kind}', toDateTime64(${time(total, days)}, 9, 'UTC') AS at, at, toIPv6('192.0.2.1'),
    ${device} AS its_device, ${site}`;
}

/** A device's name; a few of them say most of it. */
const device = `concat(['core', 'dist', 'access', 'fw', 'srv', 'edge'][1 + cityHash64(number, 1) % 6], '-',
    leftPad(toString(toUInt32(pow((cityHash64(number, 2) % 10000) / 10000., 3) * 60)), 3, '0'))`;

const syslog = (
  from,
  rows,
  total,
  days,
) => `INSERT INTO tocsin.syslog (${source}, facility, severity, app_name, proc_id, msg_id, message, raw_header, message_in_raw)
WITH
    cityHash64(number, 3) AS a, cityHash64(number, 4) AS b, cityHash64(number, 5) AS c,
    cityHash64(number, 6) % 12 AS kind,
    concat('GigabitEthernet1/0/', toString(a % 48 + 1)) AS port,
    concat('10.', toString(a % 4), '.', toString(b % 16), '.', toString(b % 250 + 1)) AS peer,
    ['%LINEPROTO-5-UPDOWN', '%LINK-3-UPDOWN', 'sshd[812]', 'dhcpd[977]', 'dhcpd[977]', '%ASA-6-302013', '%ASA-6-302014', 'CRON[2201]', '%BGP-5-ADJCHANGE',
      'postfix/smtp[3011]', 'ntpd[640]', '%SYS-5-CONFIG_I'][1 + kind] AS tag,
    multiIf(
      kind = 0, concat('Line protocol on Interface ', port, ', changed state to ', ['up', 'down'][1 + a % 2], '; last change 00:00:', leftPad(toString(b % 60), 2, '0'), ' ago, carrier delay is 2 seconds, encapsulation ARPA, loopback not set, keepalive set (10 sec)'),
      kind = 1, concat('Interface ', port, ', changed state to ', ['up', 'down'][1 + a % 2], '; full-duplex, 1000Mb/s, media type is 10/100/1000BaseTX, output flow-control is unsupported, description uplink to distribution layer rack ', toString(b % 40)),
      kind = 2, concat('Accepted publickey for ', ['backup', 'deploy', 'monitor', 'nagios'][1 + b % 4], ' from ', peer, ' port ', toString(1024 + c % 60000), ' ssh2: ED25519 SHA256:', ['k3Jq0aZc5b1T', 'Vn8wq2LxE0pR', 'yT77dPq1mZaB'][1 + b % 3], ' session opened by user with uid 0 and pam service sshd'),
      kind IN (3, 4), concat('DHCPACK on ', peer, ' to 02:00:5e:', leftPad(lower(hex(b % 16)), 2, '0'), ':00:', leftPad(lower(hex(a % 250)), 2, '0'), ' (', ['printer', 'phone', 'laptop', 'camera'][1 + b % 4], '-', toString(b % 250), ') via eth', toString(a % 4), '; lease time ', toString([3600, 28800][1 + c % 2]), ', relay 10.', toString(a % 4), '.0.1, circuit ', port),
      kind = 5, concat('Built outbound TCP connection ', toString(number % 10000000), ' for outside:', peer, '/443 (', peer, '/443) to inside:192.168.10.', toString(a % 250), '/', toString(1024 + c % 60000), ' (203.0.113.7/', toString(1024 + c % 60000), ') by policy allow-web-outbound on interface inside zone trust'),
      kind = 6, concat('Teardown TCP connection ', toString(number % 10000000), ' for outside:', peer, '/443 to inside:192.168.10.', toString(a % 250), '/', toString(1024 + c % 60000), ' duration 0:00:', leftPad(toString(c % 60), 2, '0'), ' bytes ', toString(c % 4000), ' TCP FINs from inside, policy allow-web-outbound, zone trust to untrust'),
      kind = 7, concat('pam_unix(cron:session): session opened for user ', ['root', 'munin', 'www-data'][1 + b % 3], '(uid=0) by (uid=0); command was run-parts --report /etc/cron.hourly, started by the system scheduler on the minute'),
      kind = 8, concat('neighbor ', peer, ' Down BGP Notification sent: hold time expired, peer AS ', toString(64512 + b % 40), ', address family IPv4 Unicast, graceful restart not negotiated, last reset due to peer closing the session'),
      kind = 9, concat('to=<user', toString(b % 300), '@example.org>, relay=mx', toString(a % 4), '.example.org[', peer, ']:25, delay=', toString(b % 40), ', delays=0.1/0/0.2/0.3, dsn=2.0.0, status=sent (250 2.0.0 Ok: queued for delivery by the remote host)'),
      kind = 10, concat('peer ', peer, ' stratum ', toString(b % 5 + 1), ' offset 0.', leftPad(toString(c % 1000), 3, '0'), ' ms, jitter 0.', leftPad(toString(a % 100), 3, '0'), ' ms, reach 377, polling interval 64 seconds, reference clock is synchronised to upstream'),
      concat('Configured from console by ', ['netops', 'backup', 'deploy'][1 + b % 3], ' on vty', toString(a % 5), ' (', peer, '); running configuration differs from startup configuration, checkpoint saved to bootflash by archive')) AS body,
    multiIf(cityHash64(number, 7) % 20000 = 7, concat(body, ' parity fault at quasar', toString(a % 3)),
        number % intDiv(${total}, 20) = 7, concat(body, ' single event upset at pulsar'), body) AS text
SELECT ${sourceOf('syslog-udp', total, device, sites, days)}, ['kern', 'auth', 'daemon', 'local7'][1 + kind % 4], ['err', 'warning', 'notice', 'info', 'info'][1 + b % 5],
    if(startsWith(tag, '%'), '', splitByChar('[', tag)[1]), '', if(startsWith(tag, '%'), substring(tag, 2), ''), text,
    concat('<', toString(b % 5 + 30), '>', formatDateTime(at, '%b %e %H:%i:%S'), ' ', its_device, ' ', tag, ': '), true
FROM numbers(${from}, ${rows})`;

const probes = (
  from,
  rows,
  total,
) => `INSERT INTO tocsin.link_probes (${common}, link_id, method, target, remote_site, interface, rtt_ms, lost, sequence, interval_ms)
SELECT ${envelope('probes', total, "concat('edge-', leftPad(toString(number % 40), 3, '0'))")}, concat('link-', toString(number % 200)), 'icmp', '192.0.2.99', concat('site-', toString(number % 20)),
    'Gi0/1', if(cityHash64(number, 3) % 500 = 0, NULL, 20 + number % 200 / 10 + (cityHash64(number, 4) % 1000) / 500), cityHash64(number, 3) % 500 = 0, intDiv(number, 200), 1000
FROM numbers(${from}, ${rows})`;

const counters = (
  from,
  rows,
  total,
) => `INSERT INTO tocsin.interface_counters (${common}, interface, if_index, in_octets, out_octets, speed_bps, oper_status, admin_status,
    in_bps, out_bps, in_load, out_load, out_discards_per_second, in_errors_per_second, interval_ms)
WITH (cityHash64(number, 3) % 1000) / 1000 AS load
SELECT ${envelope('snmp-poller', total, "concat('edge-', leftPad(toString(number % 40), 3, '0'))")}, concat('Gi0/', toString(intDiv(number, 40) % 24)), intDiv(number, 40) % 24,
    number * 1000, number * 900, 1000000000, 'up', 'up', load * 1e9, load * 8e8, load, load * 0.8, 0, 0, 60000
FROM numbers(${from}, ${rows})`;

const dhcp = (
  from,
  rows,
  total,
) => `INSERT INTO tocsin.dhcp (${common}, message_type, path, request_kind, mac, ip, server, relay, circuit_id, lease_seconds, transaction_id)
WITH intDiv(number, 4) AS exchange, exchange % 50000 AS client
SELECT ${envelope('dhcp', total, "'relay-1'")}, ['discover', 'offer', 'request', 'ack'][1 + number % 4], 'relay_copy', ['none', 'none', if(exchange % 20 = 0, 'rebinding', 'renewing'), 'none'][1 + number % 4],
    concat('02:00:5e:00:', leftPad(lower(hex(intDiv(client, 256) % 256)), 2, '0'), ':', leftPad(lower(hex(client % 256)), 2, '0')), concat('10.1.', toString(intDiv(client, 250) % 200), '.', toString(client % 250)),
    concat('10.0.0.', toString(client % 4)), concat('10.1.', toString(intDiv(client, 250) % 200), '.1'), concat('ge-0/0/', toString(client % 48)), 3600, exchange
FROM numbers(${from}, ${rows})`;

const latencies = (
  from,
  rows,
  total,
) => `INSERT INTO tocsin.lease_latencies (event_id, event_time, kind, family, mac, ip, server, scope, relay, site, latency_ms)
WITH intDiv(number, 2) AS exchange, exchange % 50000 AS client
SELECT concat('bench-1-dhcp-', toString(number * 2 + 1)), toDateTime64(${time(total)}, 9, 'UTC'), ['offer', 'ack'][1 + number % 2], 4,
    concat('02:00:5e:00:', leftPad(lower(hex(intDiv(client, 256) % 256)), 2, '0'), ':', leftPad(lower(hex(client % 256)), 2, '0')), concat('10.1.', toString(intDiv(client, 250) % 200), '.', toString(client % 250)),
    concat('10.0.0.', toString(client % 4)), concat('10.1.', toString(intDiv(client, 250) % 200), '.1') AS its_relay, its_relay, 'dc1', 1 + cityHash64(number, 3) % 4000 / 1000
FROM numbers(${from}, ${rows})`;

const registrations = (
  from,
  rows,
  total,
) => `INSERT INTO tocsin.registration_history (mac, family, version, told_at, ip, state, access, server, relay, circuit_id, changed_at, previous_state, cause)
WITH number % 50000 AS client
SELECT concat('02:00:5e:00:', leftPad(lower(hex(intDiv(client, 256) % 256)), 2, '0'), ':', leftPad(lower(hex(client % 256)), 2, '0')), 4, number, toDateTime64(${time(total)}, 9, 'UTC'), concat('10.1.', toString(intDiv(client, 250) % 200), '.', toString(client % 250)),
    ['bound', 'renewing'][1 + number % 2], 'allowed', concat('10.0.0.', toString(client % 4)), concat('10.1.', toString(intDiv(client, 250) % 200), '.1'), concat('ge-0/0/', toString(client % 48)),
    toDateTime64(${time(total)}, 9, 'UTC'), 'bound', 'ack'
FROM numbers(${from}, ${rows})`;

const alerts = (
  from,
  rows,
  total,
) => `INSERT INTO tocsin.alert_history (fingerprint, version, told_at, transition, transition_at, state, severity, source, device, check, summary, site, first_seen, last_seen, resolved_at, update_count)
WITH toDateTime64(${time(total)}, 9, 'UTC') AS at
SELECT hex(MD5(toString(intDiv(number, 2) % 20000))), number, at, if(number % 2, 'resolved', 'opened'), at, if(number % 2, 'resolved', 'open'), ['warning', 'minor', 'major', 'critical'][1 + intDiv(number, 2) % 4], 'bench',
    concat('edge-', leftPad(toString(number % 40), 3, '0')), concat('check-', toString(number % 30)), 'something is wrong', 'dc1', at - INTERVAL 5 MINUTE, at, if(number % 2, at, NULL), 1
FROM numbers(${from}, ${rows})`;

/** Tables with their share of all rows, over 30 days (the messages over as many as they are told); on top of them come two latencies for the four messages of an exchange. */
export const tables = [
  { name: 'syslog', share: 0.6, insert: syslog },
  { name: 'link_probes', share: 0.2, insert: probes },
  { name: 'interface_counters', share: 0.1, insert: counters },
  { name: 'dhcp', share: 0.06, insert: dhcp },
  { name: 'lease_latencies', share: 0.03, insert: latencies },
  { name: 'registration_history', share: 0.03, insert: registrations },
  { name: 'alert_history', share: 0.01, insert: alerts },
];
