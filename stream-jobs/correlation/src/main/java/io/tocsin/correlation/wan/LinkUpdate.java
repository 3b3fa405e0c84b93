package io.tocsin.correlation.wan;

import io.tocsin.wan.v1.WanEpisode;

/**
 * What the place at the other end of a link needs to know: that the link exists, that it does no
 * longer, or a transition of an episode.
 *
 * @param linkId configured name
 * @param remoteSite place at the other end; empty where not configured
 * @param atUnixNanos event time
 * @param isRemoved whether the link does not exist any more
 * @param episode bytes of a WanEpisode without a version; empty where there is none
 */
public record LinkUpdate(
    String linkId, String remoteSite, long atUnixNanos, boolean isRemoved, byte[] episode) {

  private static final byte[] NO_EPISODE = {};

  /** The link exists. */
  public static LinkUpdate exists(LinkState link) {
    return new LinkUpdate(link.linkId, link.remoteSite, link.newestUnixNanos, false, NO_EPISODE);
  }

  /** The link is forgotten, or leads to another place. */
  public static LinkUpdate removed(LinkState link) {
    return new LinkUpdate(link.linkId, link.remoteSite, link.newestUnixNanos, true, NO_EPISODE);
  }

  /** An episode of the link changed. */
  public static LinkUpdate of(WanEpisode episode) {
    return new LinkUpdate(
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
