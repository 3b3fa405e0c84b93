/**
 * From signals to alerts and to who is paged: open, refresh, resolve, whatever the order of
 * arrival.
 */
package io.tocsin.correlation.alerts;
