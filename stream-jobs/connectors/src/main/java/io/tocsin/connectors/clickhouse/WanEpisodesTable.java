package io.tocsin.connectors.clickhouse;

import io.tocsin.connectors.Rejects;
import io.tocsin.events.v1.Event;
import io.tocsin.wan.v1.WanEpisode;

/** Every transition to table {@code wan_episodes}. */
public final class WanEpisodesTable implements TableRouter<WanEpisode> {

  private final RowEncoder<WanEpisode> wanEpisodes = new WanEpisodesEncoder();

  @Override
  public RowEncoder<WanEpisode> encoderFor(WanEpisode episode) {
    return wanEpisodes;
  }

  @Override
  public Event rejectOf(WanEpisode episode, String detail) {
    return Rejects.invalid(episode, detail);
  }
}
