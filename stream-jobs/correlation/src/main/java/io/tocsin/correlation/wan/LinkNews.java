package io.tocsin.correlation.wan;

import io.tocsin.wan.v1.WanEpisode;

/**
 * What is told of a link to the place at its other end: that it exists, that it does no longer, or
 * a transition of an episode.
 *
 * @param linkId configured name
 * @param remoteSite place at the other end; empty where not configured
 * @param atUnixNanos event time
 * @param isGone whether the link does not exist any more
 * @param episode bytes of a WanEpisode without a version; empty where there is none
 */
public record LinkNews(
    String linkId, String remoteSite, long atUnixNanos, boolean isGone, byte[] episode) {

  private static final byte[] NO_EPISODE = {};

  /** The link exists. */
  public static LinkNews exists(LinkState link) {
    return new LinkNews(link.linkId, link.remoteSite, link.newestUnixNanos, false, NO_EPISODE);
  }

  /** The link is forgotten, or leads to another place. */
  public static LinkNews gone(LinkState link) {
    return new LinkNews(link.linkId, link.remoteSite, link.newestUnixNanos, true, NO_EPISODE);
  }

  /** An episode of the link changed. */
  public static LinkNews of(WanEpisode episode) {
    return new LinkNews(
        episode.getLinkId(),
        episode.getRemoteSite(),
        episode.getChangedAtUnixNanos(),
        false,
        episode.toByteArray());
  }

  /** Links to one place share a key; a link without a remote site is a place of its own. */
  public String place() {
    return remoteSite.isEmpty() ? "link/" + linkId : "site/" + remoteSite;
  }
}
