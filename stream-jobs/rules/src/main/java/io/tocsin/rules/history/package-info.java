/** Stored events, read back in the order in which agents received them, for a replay. */
package io.tocsin.rules.history;
