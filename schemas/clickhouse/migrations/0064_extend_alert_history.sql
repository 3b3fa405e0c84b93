-- What an alert is since it can expire, flap, be suppressed and be a storm. Versions were counted from 1 and are times since then, so that
-- they grow over a loss of the job's state; a time is greater than any count.
ALTER TABLE tocsin.alert_history
    MODIFY COLUMN transition Enum8('opened' = 1, 'refreshed' = 2, 'severity_changed' = 3, 'resolved' = 4, 'expired' = 5, 'flapping_started' = 6, 'flapping_ended' = 7, 'suppressed' = 8, 'unsuppressed' = 9, 'members_changed' = 10) COMMENT 'what happened',
    MODIFY COLUMN version UInt64 COMMENT 'orders the transitions of one fingerprint: Unix nanoseconds, moved on where they would not grow' CODEC(Delta, ZSTD(1)),
    ADD COLUMN IF NOT EXISTS member_count UInt32 COMMENT 'alerts that belong to a storm; 0 for anything else' CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS rule LowCardinality(String) COMMENT 'rule that raised it; empty for a monitor''s update',
    ADD COLUMN IF NOT EXISTS runbook LowCardinality(String) COMMENT 'file of grafana/runbooks without its ending, or a URL',
    ADD COLUMN IF NOT EXISTS expires_at Nullable(DateTime64(9, 'UTC')) COMMENT 'when it expires unless it is refreshed; NULL where it does not' CODEC(ZSTD(1));
