-- Where every alert stands now: what was told last of it, whatever its version, because a job that went on after a failure may have told it anew.
-- alerts_latest holds the newest row of each fingerprint, and more than that until rows are merged; the view alerts, which people and dashboards read,
-- hides those. An alert of which nothing was heard for as long as alert_history keeps goes, open or not. Rows are kept by the time of their telling, so
-- that an older transition never outlives a newer one.
CREATE TABLE IF NOT EXISTS tocsin.alerts_latest
(
    fingerprint String COMMENT 'identity of the alert: 32 hexadecimal digits',
    fingerprint_fields Map(LowCardinality(String), String) COMMENT 'the fields that made the fingerprint',
    version UInt64 COMMENT 'orders the transitions of one fingerprint: Unix nanoseconds, moved on where they would not grow',
    told_at DateTime64(9, 'UTC') DEFAULT now64(9, 'UTC') COMMENT 'when topic alerts-v1 took it, by the broker: what was told last stands',
    transition Enum8('opened' = 1, 'refreshed' = 2, 'severity_changed' = 3, 'resolved' = 4, 'expired' = 5, 'flapping_started' = 6, 'flapping_ended' = 7, 'suppressed' = 8, 'unsuppressed' = 9, 'members_changed' = 10, 'acknowledged' = 11, 'unacknowledged' = 12, 'noted' = 13) COMMENT 'what happened',
    transition_at DateTime64(9, 'UTC') COMMENT 'event time of the transition',
    state Enum8('open' = 1, 'resolved' = 2, 'expired' = 3, 'flapping' = 4, 'suppressed' = 5) COMMENT 'where the alert stands after it',
    severity Enum8('cleared' = 1, 'indeterminate' = 2, 'warning' = 3, 'minor' = 4, 'major' = 5, 'critical' = 6) COMMENT 'X.733; rises with severity',
    source LowCardinality(String) COMMENT 'monitor or rule that raised it',
    device LowCardinality(String) COMMENT 'device concerned',
    check LowCardinality(String) COMMENT 'what was checked',
    summary String COMMENT 'one line for a person',
    site LowCardinality(String) COMMENT 'configured place',
    labels Map(String, String) COMMENT 'labels of the newest update',
    first_seen DateTime64(9, 'UTC') COMMENT 'event time at which this occurrence opened',
    last_seen DateTime64(9, 'UTC') COMMENT 'event time of its newest update',
    resolved_at Nullable(DateTime64(9, 'UTC')) COMMENT 'event time of its end; NULL while it lasts',
    update_count UInt64 COMMENT 'updates of this occurrence',
    storm_id String COMMENT 'fingerprint of the storm it belongs to, or empty',
    cause String COMMENT 'what explains it, or empty',
    event_id String COMMENT 'event that caused the transition',
    member_count UInt32 COMMENT 'alerts that belong to a storm; 0 for anything else',
    rule LowCardinality(String) COMMENT 'rule that raised it; empty for a monitor''s update',
    runbook LowCardinality(String) COMMENT 'file of grafana/runbooks without its ending, or a URL',
    expires_at Nullable(DateTime64(9, 'UTC')) COMMENT 'when it expires unless it is refreshed; NULL where it does not',
    acknowledged_by LowCardinality(String) COMMENT 'who works on it; empty while nobody has said so',
    acknowledged_at Nullable(DateTime64(9, 'UTC')) COMMENT 'since when; NULL while nobody does',
    acknowledged_until Nullable(DateTime64(9, 'UTC')) COMMENT 'when that ends by itself; NULL where it lasts as long as the alert',
    note String COMMENT 'newest word of a person on this occurrence, or empty',
    noted_by LowCardinality(String) COMMENT 'who wrote it',
    raised_by Array(String) COMMENT 'ids of the first events that raised it and of the newest, eight at most',
    rule_pushed_at Nullable(DateTime64(9, 'UTC')) COMMENT 'which version of the rule: when it was pushed; NULL where no pushed rule raised it',
    held_back Array(Tuple(cause String, name String, since DateTime64(9, 'UTC'))) COMMENT 'all that keeps it from paging, and since when; eight at most',
    cut_sets Array(Array(String)) COMMENT 'of a fault tree: the smallest sets of what is down that make its top event true',
    tree_down Array(Tuple(name String, fingerprint String)) COMMENT 'of a fault tree: what is down, with its alert; 64 at most',
    tree_next Array(String) COMMENT 'of a fault tree: what would make its top event true if it failed now; 64 at most',
    tree_left_out UInt32 COMMENT 'of a fault tree: parts that are not listed because they are too many'
)
ENGINE = ReplacingMergeTree(told_at)
ORDER BY fingerprint
TTL toDateTime(told_at) + INTERVAL 5 YEAR
SETTINGS non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.alerts_latest_from_history TO tocsin.alerts_latest AS
SELECT * EXCEPT (transition_id)
FROM tocsin.alert_history;

-- One row a fingerprint: where every alert stands now.
CREATE VIEW IF NOT EXISTS tocsin.alerts AS
SELECT *
FROM tocsin.alerts_latest
FINAL;
