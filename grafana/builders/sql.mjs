// SQL that more than one panel sends.

/**
 * SQL as it reads in a builder: without the margin that the file gives it, with what is inserted indented like its line, and without lines
 * that an empty insertion leaves blank.
 */
export function sql(strings, ...values) {
  let text = strings[0];
  values.forEach((value, index) => {
    const [indent] = /(?<=\n|^) *(?=[^\n]*$)/.exec(text);
    text += String(value).replaceAll('\n', `\n${indent}`) + strings[index + 1];
  });
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const margin = Math.min(...lines.map((line) => /^ */.exec(line)[0].length));
  return lines.map((line) => line.slice(margin)).join('\n');
}

/** Each agent of the last day, and for how many seconds it has been silent; agents report each second. */
const silences = sql`
  SELECT agent_id, greatest(dateDiff('second', max(t.reported_at), now64(9)), 0) AS age
  FROM tocsin.listener_totals AS t
  GROUP BY agent_id
  HAVING age < 86400`;

/** For how long the most silent agent of the last day has been silent; NULL where none has reported. */
export const mostSilent = sql`
  (
      SELECT maxOrNull(a.age)
      FROM
      (
          ${silences}
      ) AS a)`;

/**
 * What a counter of a run of an agent (`agent_stats AS s`, by boot_id) grew by since a time. A run that began later counts from zero: its first report
 * already holds what was lost before it.
 */
export function growth(counter, since) {
  return `max(s.${counter}) - if(fromUnixTimestamp64Nano(toInt64(boot_id), 'UTC') >= ${since}, 0, min(s.${counter}))`;
}

/** What an alert concerns: its device under its whole name, a storm by what its members share; a fault tree, which its check names. */
export const whatItIs =
  "multiIf(member_count > 0, concat('storm: ', fingerprint_fields['storm'], ' ', fingerprint_fields[fingerprint_fields['storm']]), fingerprint_fields['tree'] != '' AND device = '', 'fault tree', toString(device))";

/**
 * Active alerts that nobody is paged for and that a condition lets through, with what explains each by its name: `held_by` maintenance, storm, tree or
 * dependency, `reason` its name, `reason_page` where more is said of it.
 */
export const suppressedWithReasons = (condition) => sql`
  SELECT
      s.severity AS severity, s.device AS device, s.check AS check, s.first_seen AS first_seen, s.summary AS summary, s.fingerprint AS fingerprint,
      splitByChar(':', s.cause)[1] AS held_by,
      if(held_by = 'maintenance', substring(s.cause, 13), if(e.name = '', s.cause, e.name)) AS reason,
      if(e.fingerprint = '', 'tocsin-storms?', concat('tocsin-alert?var-fingerprint=', e.fingerprint)) AS reason_page
  FROM
  (
      SELECT *, splitByChar(',', splitByChar(':', cause)[2])[1] AS explaining
      FROM tocsin.alerts
      WHERE state = 'suppressed' AND ${condition}
  ) AS s
  LEFT JOIN
  (
      SELECT fingerprint, if(member_count > 0, ${whatItIs}, concat(${whatItIs}, ' ', check)) AS name
      FROM tocsin.alerts
      WHERE state IN ('open', 'flapping', 'suppressed')
  ) AS e ON e.fingerprint = s.explaining`;

/** `text`, where every agent of the last day still reports; what is not known, where one does not. */
export function unlessSilent(text) {
  return sql`
    (
        SELECT multiIf(
            count() = 0, 'not known: no agent has reported for a day',
            max(a.age) > 60, concat('not known: ', toString(argMax(a.agent_id, a.age)), ' has been silent for ', formatReadableTimeDelta(max(a.age))),
            '${text}')
        FROM
        (
            ${silences}
        ) AS a)`;
}

/**
 * The rows of a query in their order; where it has none, one row that says so in a column of text. So "nothing is down" is an answer: without it the
 * panel is empty.
 */
export function orSaying(query, columns, empty) {
  const [[where, text]] = Object.entries(empty);
  const read = columns.map((column, index) =>
    column === where ? `if(found.1 IS NULL, ${unlessSilent(text)}, found.${index + 2}) AS ${column}` : `found.${index + 2} AS ${column}`,
  );
  return sql`
    SELECT
        ${read.join(',\n')}
    FROM
    (
        SELECT arrayJoin(emptyArrayToSingle(groupArray(tuple(toNullable(1), ${columns.map((column) => `toNullable(${column})`).join(', ')})))) AS found
        FROM
        (
            ${query}
        )
    )`;
}

/**
 * The rows that a variable with values to choose from lets through; all at "All". `percentencode` leaves letters, digits and `-_.~%` alone, so no
 * value can end the string or begin a macro. `singlequote` escapes the quote and not the backslash: a device named `x\' OR 1=1 --` would leave
 * the string. The price: a name that itself contains `{`, `}` or `,` cannot be chosen, and is seen under "All".
 */
export function chosen(variable, column = variable) {
  const values = `extractAll(decodeURLComponent('\${${variable}:percentencode}'), '[^{},]+')`;
  return `$__conditionalAll(has(${variable === 'device' ? andOlderNames(values) : values}, ${column}), $${variable})`;
}

/** Names of devices with those that they had before: their history stays under them. */
const andOlderNames = (names) =>
  `arrayConcat(${names}, (SELECT groupArray(n.alias) FROM tocsin.device_names AS n FINAL WHERE has(${names}, n.name)))`;

/** Whether at most three values of a variable are chosen; "All" is all of them. */
export function few(variable) {
  return `length(extractAll(decodeURLComponent('\${${variable}:percentencode}'), '[^{},]+')) <= 3`;
}

/** What a person typed into a variable, as a string. */
export function typed(variable) {
  return `decodeURLComponent('\${${variable}:percentencode}')`;
}

/** Rows of clients whose host name is that of a chosen device, whole or without its domain: what DHCP clients call themselves. */
export function namedLike(variable, column) {
  const names = `extractAll(decodeURLComponent(lower('\${${variable}:percentencode}')), '[^{},]+')`;
  return `$__conditionalAll(has(arrayConcat(${names}, arrayMap(name -> splitByChar('.', name)[1], ${names})), lower(${column})), $${variable})`;
}

/** A hardware address that was typed in any notation, as tables have it: lower case with colons. */
export const macOf = (text) => `arrayStringConcat(extractAll(replaceRegexpAll(lower(${text}), '[^0-9a-f]', ''), '..'), ':')`;

/** Conditions as further lines of a WHERE. */
export function and(...conditions) {
  return conditions.map((condition) => `AND ${condition}`).join('\n');
}

/** Events of the time range, of tables in the order of `received_at`. A device's clock may be a day wrong. */
export const inRange = '$__timeFilter(event_time) AND received_at >= $__fromTime - INTERVAL 1 DAY';

/**
 * Points that come from the rows themselves or from the roll-up that is as fine as the interval of the panel: one query for each, of which
 * all but one read nothing.
 */
export function byResolution(order, ...queries) {
  return sql`
    SELECT *
    FROM
    (
        ${queries.join('\nUNION ALL\n')}
    )
    ORDER BY ${order}`;
}

/** A query of the day from which on there are certainly this many messages: for the newest of them no older day need be read. */
export function dayOfNewest(messages, ...conditions) {
  return sql`
    SELECT max(d.day)
    FROM
    (
        SELECT day, sum(sum(v.messages)) OVER (ORDER BY day DESC) AS since_then
        FROM tocsin.syslog_volume_1d AS v
        WHERE day >= toStartOfDay($__fromTime, 'UTC') AND day < toStartOfDay($__toTime, 'UTC')
          ${and(...conditions)}
        GROUP BY day
    ) AS d
    WHERE since_then >= ${messages}`;
}

/** Messages that hold every word of what was typed; all where nothing was. */
export const holdsWords = (words) => `(${words} = '' OR hasAllTokens(lower(message), tokens(lower(${words}), 'splitByNonAlpha')))`;

/** Syslog messages a minute by severity; where words are given, those that hold them, counted one by one. */
export function syslogVolume({ words = "''" }, ...conditions) {
  const volume = (table, time, when) => sql`
    SELECT $__timeInterval(${time}) AS time, toString(severity) AS severity_name, sum(v.messages) * 60 / $__interval_s AS messages
    FROM tocsin.${table} AS v
    WHERE ${words} = '' AND ${when} AND $__timeFilter(${time})
      ${and(...conditions)}
    GROUP BY time, severity_name`;
  const searched = sql`
    SELECT $__timeInterval(event_time) AS time, toString(severity) AS severity_name, count() * 60 / $__interval_s AS messages
    FROM tocsin.syslog
    WHERE ${words} != '' AND ${inRange}
      ${and(holdsWords(words), ...conditions)}
    GROUP BY time, severity_name`;
  return byResolution(
    'time, severity_name',
    ...(words === "''" ? [] : [searched]),
    volume('syslog_volume_1m', 'minute', '$__interval_s < 3600'),
    volume('syslog_volume_1h', 'hour', '$__interval_s BETWEEN 3600 AND 86399'),
    volume('syslog_volume_1d', 'day', '$__interval_s >= 86400'),
  );
}

/**
 * A line for each interface that the query `which` names: `polled` is what it shows of what was polled, `rolledUp` the same of the roll-ups, `name`
 * its column.
 */
export function interfacePoints({ name, polled, rolledUp, which }) {
  const rollUp = (table, time, when) => sql`
    SELECT $__timeInterval(${time}) AS time, concat(device, ' ', interface) AS interface_name, toString(device) AS its_device, ${rolledUp} AS ${name}
    FROM tocsin.${table}
    WHERE ${when} AND $__timeFilter(${time})
      AND (device, interface) IN (
          ${which})
    GROUP BY time, interface_name, its_device
    HAVING sum(polls) > 0`;
  return byResolution(
    'time, interface_name',
    sql`
      SELECT $__timeInterval(event_time) AS time, concat(device, ' ', interface) AS interface_name, toString(device) AS its_device, ${polled} AS ${name}
      FROM tocsin.interface_counters
      WHERE $__interval_s < 60 AND ${inRange} AND interval_ms > 0
        AND (device, interface) IN (
            ${which})
      GROUP BY time, interface_name, its_device`,
    rollUp('interface_load_1m', 'minute', '$__interval_s BETWEEN 60 AND 3599'),
    rollUp('interface_load_1h', 'hour', '$__interval_s >= 3600'),
  );
}

export const outputLoad = { name: 'load', polled: 'max(out_load)', rolledUp: 'max(out_load_max)' };

export const outputDiscards = {
  name: 'discards',
  polled: 'avg(out_discards_per_second)',
  rolledUp: 'sum(out_discards) / $__interval_s',
};

/** The 20 interfaces of the chosen devices that are first in an order of their roll-ups by the hour. */
export function busiestInterfaces(order) {
  return sql`
    SELECT device, interface FROM tocsin.interface_load_1h
    WHERE hour BETWEEN toStartOfHour($__fromTime) AND $__toTime
      AND ${chosen('device')}
    GROUP BY device, interface ORDER BY ${order} DESC LIMIT 20`;
}
