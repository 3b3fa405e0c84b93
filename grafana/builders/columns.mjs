// Columns that more than one table has, and the links between pages.
import { above, alertStates, green, red, severities, yellow } from './palette.mjs';

/** A link of a cell or of a panel to another page, at the same time range; `values` is a query string. */
export function linkTo(uid, title, values = '') {
  return { title, url: `/d/${uid}?${values}\${__url_time_range}`, targetBlank: false };
}

const toDevice = linkTo('tocsin-device', 'Everything about this device', 'var-device=${__value.raw:percentencode}&');

/** For a column of fingerprints, and for one beside it. */
export const toAlert = linkTo('tocsin-alert', 'This alert', 'var-fingerprint=${__value.raw}&');
export const toAlertOfRow = linkTo('tocsin-alert', 'This alert', 'var-fingerprint=${__data.fields.fingerprint}&');

/** The number of a severity. */
export const severity = { title: 'severity', values: severities, cell: 'background', width: 96 };

export const alertState = { title: 'state', values: alertStates, cell: 'text', width: 100 };

/** A point in time, as how long ago it was. */
export const ago = (width) => ({ unit: 'dateTimeFromNow', width });

/** A point in time, as it stands on a clock; beside it a duration says how long ago. */
export const when = { unit: 'dateTimeAsIso', width: 160 };

/** Who works on an alert, and since when. */
export const onIt = { title: 'on it', width: 90 };
export const onItSince = { title: 'on it since', unit: 'dateTimeFromNow', width: 120 };

/** For how long, as hours, minutes and seconds. */
export const lasted = { title: 'for', unit: 'dthms', width: 84 };

/** The name of what an alert concerns, whole; it leads to the alert. */
export const alertedDevice = { title: 'device', minWidth: 150, link: toAlertOfRow };

/** For how long the most silent agent has reported nothing, as every page has it among its first numbers. */
export const agentSilent = { title: 'agent silent for', unit: 's', decimals: 0, thresholds: above({ 15: yellow, 60: red }, green) };

/** The name of a device, which leads to its page. */
export const device = (width) => ({ width, link: toDevice });

/** The fingerprint of an alert, which leads to it. */
export const fingerprint = { width: 260, link: toAlert };
