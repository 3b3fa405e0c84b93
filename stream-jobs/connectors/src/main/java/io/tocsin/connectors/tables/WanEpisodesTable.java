package io.tocsin.connectors.tables;

import io.tocsin.connectors.Rejects;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.connectors.clickhouse.TableRouter;
import io.tocsin.events.v1.Event;
import io.tocsin.wan.v1.WanEpisode;

/** Every transition to table {@code wan_episodes}. */
public final class WanEpisodesTable implements TableRouter<WanEpisode> {

  private final RowEncoder<WanEpisode> wanEpisodes = new WanEpisodesEncoder();
  private final RowEncoder<Event> rejects = new RejectsEncoder();

  @Override
  public RowEncoder<WanEpisode> encoderFor(WanEpisode episode) {
    return wanEpisodes;
  }

  @Override
  public Row<Event> rejectOf(WanEpisode episode, String detail) {
    return new Row<>(Rejects.invalid(episode, detail), rejects);
  }
}
