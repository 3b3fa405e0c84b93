/**
 * From probes to episodes: when a WAN link is worse than it usually is, and why.
 *
 * <p>{@link io.tocsin.correlation.wan.LinkRules} follows one link, {@link
 * io.tocsin.correlation.wan.CauseRules} reads the cause from the interface it leaves through and
 * the syslog of its device, {@link io.tocsin.correlation.wan.RemoteSiteRules} sees that several
 * links to one place are down. All of them are pure: the same probes in the order of their sending
 * give the same episodes, live, in a test and over history.
 */
package io.tocsin.correlation.wan;
