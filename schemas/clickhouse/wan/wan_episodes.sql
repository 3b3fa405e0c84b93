-- Spans of time in which a link was worse than usual, and what was told last of each. Few rows: read it with FINAL.
-- Shard: link_id
CREATE TABLE IF NOT EXISTS tocsin.wan_episodes
(
    episode_id String COMMENT '<link_id>/<kind>/<started_at in Unix milliseconds>',
    version UInt64 COMMENT 'counts the transitions of one episode from 1',
    told_at DateTime64(9, 'UTC') DEFAULT now64(9, 'UTC') COMMENT 'when topic wan-episodes-v1 took it, by the broker: what was told last stands',
    link_id LowCardinality(String) COMMENT 'configured name of the link',
    kind Enum8('latency' = 1, 'loss' = 2, 'jitter' = 3, 'down' = 4) COMMENT 'what is wrong',
    state Enum8('open' = 1, 'closed' = 2) COMMENT 'whether it lasts',
    started_at DateTime64(9, 'UTC') COMMENT 'event time at which it began',
    ended_at Nullable(DateTime64(9, 'UTC')) COMMENT 'event time at which it ended; NULL while it lasts',
    changed_at DateTime64(9, 'UTC') COMMENT 'event time of this transition',
    baseline_ms Float64 COMMENT 'median round-trip time of the time before',
    baseline_mad_ms Float64 COMMENT 'median absolute deviation of the time before',
    peak_ms Float64 COMMENT 'highest round-trip time within it; 0 where nothing was answered',
    loss_ratio Float64 COMMENT 'share of its probes that were lost',
    jitter_ms Float64 COMMENT 'highest jitter within it, RFC 3550',
    probes UInt64 COMMENT 'probes within it',
    affected_ratio Float64 COMMENT 'share of its probes that were lost or over the threshold',
    cause Enum8('egress_saturated' = 1, 'loss_without_congestion' = 2, 'path_change' = 3, 'remote_unreachable' = 4, 'unexplained' = 5) COMMENT 'why, as far as the evidence goes',
    evidence Array(Tuple(name String, value Float64, unit String, text String, event_id String, observed_at DateTime64(9, 'UTC'))) COMMENT 'what the cause was read from',
    device LowCardinality(String) COMMENT 'device that the link leaves through',
    interface LowCardinality(String) COMMENT 'interface that the link leaves through',
    site LowCardinality(String) COMMENT 'configured place of the agent that probes',
    remote_site LowCardinality(String) COMMENT 'configured place at the other end',
    event_id String COMMENT 'event that caused this transition'
)
ENGINE = ReplacingMergeTree(told_at)
ORDER BY (link_id, started_at, episode_id)
TTL toDateTime(started_at) + INTERVAL 10 YEAR
SETTINGS non_replicated_deduplication_window = 1000;
