// Columns that more than one table has, and the links between pages.
import { above, alertStates, green, red, severities, yellow } from './palette.mjs';

/** A link of a cell or of a panel to another page, at the same time range and of the same data source; `values` is a query string. */
export function linkTo(uid, title, values = '') {
  return { title, url: `/d/${uid}?${values}\${datasource:queryparam}&\${__url_time_range}`, targetBlank: false };
}

/** For a column beside one of devices: another page about that device. */
export const toDevicePage = (uid, title) => linkTo(uid, title, 'var-device=${__data.fields.device:percentencode}&');

const toDevice = linkTo('tocsin-device', 'Everything about this device', 'var-device=${__value.raw:percentencode}&');

/** For a column of fingerprints, and for one beside it. */
export const toAlert = linkTo('tocsin-alert', 'This alert', 'var-fingerprint=${__value.raw}&');
export const toAlertOfRow = linkTo('tocsin-alert', 'This alert', 'var-fingerprint=${__data.fields.fingerprint}&');

/** For a row that says in a hidden column where more is said of it: `tocsin-alert?var-fingerprint=...`. */
export const toPageIn = (column) => ({
  title: 'What is known of it',
  url: `/d/\${__data.fields.${column}:raw}&\${datasource:queryparam}&\${__url_time_range}`,
  targetBlank: false,
});

/** The number of a severity; wide enough for `critical`. On a phone severity, time, device and check stand beside each other. */
export const severity = { title: 'severity', values: severities, coloured: true, width: 80 };

/** What holds an alert back, and its name, which leads to the alert where it is one. */
export const heldBy = { title: 'held by', width: 110 };
export const reason = { title: 'explained by', minWidth: 180, link: toPageIn('reason_page') };

export const alertState = { title: 'state', values: alertStates, coloured: true, width: 100 };

/** A point in time, as how long ago it was. */
export const ago = (width) => ({ unit: 'dateTimeFromNow', width });

/** A point in time, as it stands on a clock; beside it a duration says how long ago. */
export const when = { unit: 'dateTimeAsIso', width: 160 };

/** When something happened, on a clock; the year is that of the chosen time. */
export const happened = { unit: 'time:MM-DD HH:mm:ss', width: 112 };

/** Who works on an alert, and since when. */
export const onIt = { title: 'on it', width: 90 };
export const onItSince = { title: 'on it since', unit: 'dateTimeFromNow', width: 120 };

/** For how long, as hours, minutes and seconds. */
export const lasted = { title: 'for', unit: 'dthms', width: 76 };

/** The name of what an alert concerns, whole; it leads to the alert. */
export const alertedDevice = { title: 'device', minWidth: 110, link: toAlertOfRow };

/** For how long the most silent agent has reported nothing, as every page has it among its first numbers. */
export const agentSilent = { title: 'agent silent for', unit: 's', decimals: 0, thresholds: above({ 15: yellow, 60: red }, green) };

/** For a line of an interface, which says in a label of whose. */
export const toDeviceOfLine = linkTo(
  'tocsin-device',
  'Everything about this device',
  'var-device=${__field.labels.its_device:percentencode}&',
);

/** The name of a device, which leads to its page: 26 letters are whole. */
export const device = { width: 200, link: toDevice };

/** The name of an interface: `TenGigabitEthernet1/0/24` is whole. */
export const interfaceName = { title: 'interface', width: 180 };

/** The fingerprint of an alert, which leads to it. */
export const fingerprint = { width: 260, link: toAlert };
