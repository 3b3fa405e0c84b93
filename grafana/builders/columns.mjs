// Columns that more than one table has, and the links between pages.
import { alertStates, severities } from './palette.mjs';

/** A link of a cell or of a panel to another page, at the same time range; `values` is a query string. */
export function linkTo(uid, title, values = '') {
  return { title, url: `/d/${uid}?${values}\${__url_time_range}`, targetBlank: false };
}

const toDevice = linkTo('tocsin-device', 'Everything about this device', 'var-device=${__value.raw:percentencode}&');

/** For a column of fingerprints, and for one beside it. */
export const toAlert = linkTo('tocsin-alert', 'This alert', 'var-fingerprint=${__value.raw}&');
export const toAlertOfRow = linkTo('tocsin-alert', 'This alert', 'var-fingerprint=${__data.fields.fingerprint}&');

/** The number of a severity. */
export const severity = { title: 'severity', values: severities, cell: 'background', width: 104 };

export const alertState = { title: 'state', values: alertStates, cell: 'text', width: 100 };

/** A point in time, as how long ago it was. */
export const ago = (width) => ({ unit: 'dateTimeFromNow', width });

/** The name of a device, which leads to its page. */
export const device = (width) => ({ width, link: toDevice });

/** The fingerprint of an alert, which leads to it. */
export const fingerprint = { width: 260, link: toAlert };
