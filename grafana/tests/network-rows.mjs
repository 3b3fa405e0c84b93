// Known rows of the sources and correlations: DHCP, SNMP, probes, registrations, WAN episodes, storms. Times are relative to now.

const columns = 'event_id, agent_id, boot_id, agent_sequence, listener, received_at, event_time, source_ip, device, site';

function common(kind, at, device = "'grafana-test-n1'") {
  return `concat('grafana-test-network-', '${kind}-', toString(number)), 'grafana-test-network', 1, number + 1, '${kind}',
    ${at}, ${at}, '::ffff:192.0.2.1', ${device}, 'grafana-test-site'`;
}

const ago = (seconds) => `now64(9) - toIntervalMillisecond(toInt64((${seconds}) * 1000))`;

/** A conversation of four messages for each of 20 clients, then a renewal each, every fifth a rebind. */
const dhcp = `INSERT INTO tocsin.dhcp (${columns}, message_type, path, request_kind, mac, ip, server, relay, circuit_id, lease_seconds, transaction_id)
  SELECT ${common('dhcp', ago('600 - number * 0.05'), "'grafana-test-relay'")},
    ['discover', 'offer', 'request', 'ack', 'request'][1 + number % 5], 'relay_copy',
    ['none', 'none', 'selecting', 'none', if(intDiv(number, 5) % 5 = 0, 'rebinding', 'renewing')][1 + number % 5],
    concat('02:00:00:00:00:', leftPad(toString(intDiv(number, 5)), 2, '0')), concat('10.9.8.', toString(intDiv(number, 5))),
    'grafana-test-dhcp', '10.9.8.1', 'ge-0/0/7', 3600, if(number % 5 = 4, 0, 1000 + intDiv(number, 5))
  FROM numbers(100)`;

/** An offer a second for ten minutes, an acknowledgement after each. */
const latencies = `INSERT INTO tocsin.lease_latencies (event_id, event_time, kind, family, mac, ip, server, scope, relay, site, latency_ms)
  SELECT concat('grafana-test-network-dhcp-', toString(number)), ${ago('intDiv(number, 2)')}, if(number % 2, 'ack', 'offer'), 4,
    concat('02:00:00:00:00:', leftPad(toString(number % 20), 2, '0')), concat('10.9.8.', toString(number % 20)), 'grafana-test-dhcp', '10.9.8.1', '10.9.8.1',
    'grafana-test-site', 2 + number % 7
  FROM numbers(1200)`;

/** 20 bound devices, one of them rebinding, two that share an address. */
const registrations = `INSERT INTO tocsin.registration_history (mac, family, version, ip, state, access, server, relay, circuit_id, remote_id, hostname,
    vendor_class, fingerprint, lease_expires_at, changed_at, previous_state, previous_ip, cause, event_id, site)
  SELECT concat('02:00:00:00:00:', leftPad(toString(number), 2, '0')), 4, 1, concat('10.9.8.', toString(least(number, 18))),
    if(number = 3, 'rebinding', 'bound'), if(number % 2, 'allowed', 'blocked'), 'grafana-test-dhcp', '10.9.8.1', 'ge-0/0/7', 'sw-1', 'host', '', '',
    now64(9) + INTERVAL 1 HOUR, ${ago('600 - number')}, 'offered', '', 'ack', 'grafana-test-network-dhcp-3', 'grafana-test-site'
  FROM numbers(20)`;

const traps = `INSERT INTO tocsin.snmp_traps (${columns}, version, trap_oid, trap_name, varbinds)
  SELECT ${common('trap', ago('number * 10 + 1'))}, 'v2c', '1.3.6.1.6.3.1.1.5.3', 'IF-MIB::linkDown', map('IF-MIB::ifIndex.7', '7')
  FROM numbers(12)`;

const counters = `INSERT INTO tocsin.interface_counters (${columns}, interface, if_index, in_octets, out_octets, speed_bps, oper_status, admin_status,
    in_bps, out_bps, in_load, out_load, out_discards_per_second, in_errors_per_second, interval_ms)
  SELECT ${common('counters', ago('(59 - intDiv(number, 2)) * 30'))}, if(number % 2, 'Gi0/1', 'Gi0/2'), 1 + number % 2, number * 1000, number * 2000,
    1000000000, 'up', 'up', 1e8, 9.5e8, 0.1, 0.95, 12, 0, 30000
  FROM numbers(120)`;

const gauges = `INSERT INTO tocsin.gauges (${columns}, name, value, limit, unit)
  SELECT ${common('gauge', ago('number * 30'))}, 'connections', 49000, 50000, 'connections'
  FROM numbers(60)`;

/** Figures of the host, half a minute apart. */
const hostFigures = `INSERT INTO tocsin.gauges (${columns}, name, instance, value, unit)
  SELECT ${common('host', ago('intDiv(number, 4) * 30'))}, ['disk_utilization', 'disk_wait', 'cpu_busy', 'memory_available'][1 + number % 4],
    if(number % 4 < 2, 'sda', ''), [98, 80, 5, 62][1 + number % 4], ['percent', 'ms', 'percent', 'percent'][1 + number % 4]
  FROM numbers(120)`;

/** Two resolvers, of which one denies a name, is slow, and once says nothing. */
const dnsAnswers = `INSERT INTO tocsin.dns_answers (${columns}, resolver_group, target, query_name, query_type, rtt_ms, lost, loss_reason, transport, answer_code, answer, disagreement, expected, timeout_ms)
  SELECT ${common('resolver', ago('intDiv(number, 2) * 30'), "if(number % 2, 'grafana-test-ns2', 'grafana-test-ns1')")}, 'grafana-test-resolvers', '192.0.2.53:53', 'www.example.com', 'A',
    if(number = 5, NULL, [2.5, 250][1 + number % 2]), number = 5, if(number = 5, 'timeout', 'none'), 'udp', ['NOERROR', 'NXDOMAIN'][1 + number % 2],
    ['192.0.2.1', ''][1 + number % 2], ['none', 'answer_code'][1 + number % 2], ['', 'NOERROR 192.0.2.1'][1 + number % 2], 2000
  FROM numbers(120)`;

/** A probe a second of two links for ten minutes, one in twenty lost; and one resolver. */
const probes = `INSERT INTO tocsin.link_probes (${columns}, link_id, method, target, interface, rtt_ms, lost, loss_reason, sequence, query_name, answer_code, answer)
  SELECT ${common('probe', ago('intDiv(number, 3)'))}, ['grafana-test-link-a', 'grafana-test-link-b', 'grafana-test-dns'][1 + number % 3],
    if(number % 3 = 2, 'dns', 'icmp'), '192.0.2.99', 'Gi0/1', if(number % 20 = 7, NULL, 30 + number % 7), number % 20 = 7,
    if(number % 20 = 7, 'timeout', 'none'), number, if(number % 3 = 2, 'example.org', ''), if(number % 3 = 2, 'NOERROR', ''), ''
  FROM numbers(1800)`;

const episodes = `INSERT INTO tocsin.wan_episodes (episode_id, version, link_id, kind, state, started_at, ended_at, changed_at, baseline_ms, peak_ms, loss_ratio,
    probes, cause, evidence, device, interface)
  SELECT concat('grafana-test-episode-', toString(number)), 1, 'grafana-test-link-a', 'latency', if(number = 0, 'open', 'closed'),
    ${ago('120 + number * 600')}, if(number = 0, NULL, ${ago('number * 600')}), now64(9), 30, 104.5, 0.01, 60, 'egress_saturated',
    [('out_load', 0.98, 'ratio', '', 'grafana-test-network-counters-1', now64(9)), ('syslog', 0, '', 'queue full', '', now64(9))], 'grafana-test-n1', 'Gi0/1'
  FROM numbers(3)`;

const gaps = `INSERT INTO tocsin.sequence_gaps (${columns}, last_before, first_after, missing)
  SELECT ${common('gap', ago('number * 60'))}, 41, 45, 3
  FROM numbers(5)`;

/** One storm with three members that it explains, and one alert in maintenance. The first member is the newest alert, however long inserting takes. */
const storm = `INSERT INTO tocsin.alert_history (fingerprint, fingerprint_fields, version, transition, transition_at, state, severity, source, device, check, summary, site,
    first_seen, last_seen, resolved_at, update_count, storm_id, cause, member_count, tree_down, tree_next, event_id)
  SELECT concat('grafana-test-storm-', toString(number)),
    if(number = 4, map('tree', 'grafana-test-tree', 'redundancy', 'lost'), map('storm', 'source', 'source', 'grafana-test-monitor')), 1, if(number = 0, 'opened', 'suppressed'), ${ago('300 - number')},
    if(number = 0, 'open', 'suppressed'), 'warning', if(number = 4, 'tree', 'grafana-test-monitor'), if(number = 1, 'grafana-test-n1', 'grafana-test-n8'), 'storm', 'many nodes down', 'grafana-test-site',
    ${ago('if(number = 1, 300, 1080)')}, now64(9) + toIntervalMinute(number = 1), NULL, 1, if(number BETWEEN 1 AND 3, 'grafana-test-storm-0', ''),
    multiIf(number BETWEEN 1 AND 3, 'storm:grafana-test-storm-0', number = 4, 'maintenance:grafana-test-window', ''), if(number = 0, 3, 0), if(number = 4, [('disk 1', 'grafana-test-storm-1')], []), if(number = 4, ['disk 2'], []),
    'grafana-test-network-update-0'
  FROM numbers(5)`;

/** The update that opened one of them. */
const update = `INSERT INTO tocsin.alert_updates (${columns}, action, source, check, severity, summary, raw)
  SELECT ${common('update', ago('300'))}, 'update', 'grafana-test-monitor', 'storm', 'warning', 'many nodes down', '{"action":"update"}'
  FROM numbers(1)`;

/** A device that started six times. */
const flapper = `INSERT INTO tocsin.alert_history (fingerprint, version, told_at, transition, transition_at, state, severity, source, device, check, summary, site,
    first_seen, last_seen, resolved_at, update_count, storm_id, cause, member_count)
  SELECT 'grafana-test-flapper', number + 1, ${ago('600 - number * 10')}, if(number % 2, 'resolved', 'opened'), ${ago('600 - number * 10')}, if(number % 2, 'resolved', 'open'), 'minor',
    'grafana-test-monitor', 'grafana-test-n9', 'restart', 'started again', 'grafana-test-site', ${ago('600 - number * 10')}, now64(9),
    if(number % 2, ${ago('595 - number * 10')}, NULL), 1, '', '', 0
  FROM numbers(12)`;

/** One INSERT each. */
export const networkStatements = [
  dhcp,
  latencies,
  registrations,
  traps,
  counters,
  gauges,
  hostFigures,
  probes,
  dnsAnswers,
  episodes,
  gaps,
  storm,
  update,
  flapper,
];
