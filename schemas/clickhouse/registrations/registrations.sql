-- Where every device stands now: what was told last of it. registrations_latest holds the newest row of each MAC and family, and more than that until
-- rows are merged; the view registrations, which people and dashboards read, hides those. A device of which nothing was heard for as long as
-- registration_history keeps goes: phones make up MACs, so they grow without end.
CREATE TABLE IF NOT EXISTS tocsin.registrations_latest
(
    mac String COMMENT 'hardware address, lower case with colons',
    family UInt8 COMMENT '4 or 6: a MAC with both has two registrations',
    version UInt64 COMMENT 'counts the transitions of one MAC and family from 1',
    told_at DateTime64(9, 'UTC') DEFAULT now64(9, 'UTC') COMMENT 'when topic registrations-v1 took it, by the broker: what was told last stands',
    ip String COMMENT 'address that it has or asks for',
    state Enum8('discovering' = 1, 'offered' = 2, 'bound' = 3, 'renewing' = 4, 'rebinding' = 5, 'expired' = 6, 'released' = 7, 'declined' = 8) COMMENT 'where it stands in DHCP',
    access Enum8('blocked' = 1, 'allowed' = 2, 'quarantined' = 3) COMMENT 'whether it may use the network',
    server LowCardinality(String) COMMENT 'server that gave the lease',
    relay LowCardinality(String) COMMENT 'relay agent that it came through',
    circuit_id LowCardinality(String) COMMENT 'where it is plugged in',
    remote_id LowCardinality(String) COMMENT 'switch or line',
    hostname String COMMENT 'name that it gives itself',
    vendor_class LowCardinality(String) COMMENT 'vendor class',
    fingerprint LowCardinality(String) COMMENT 'parameter request list',
    lease_expires_at Nullable(DateTime64(9, 'UTC')) COMMENT 'when the lease ends; NULL without one',
    changed_at DateTime64(9, 'UTC') COMMENT 'event time of the transition',
    previous_state Enum8('none' = 0, 'discovering' = 1, 'offered' = 2, 'bound' = 3, 'renewing' = 4, 'rebinding' = 5, 'expired' = 6, 'released' = 7, 'declined' = 8) COMMENT 'state before it',
    previous_ip String COMMENT 'address before it',
    cause LowCardinality(String) COMMENT 'word of the DHCP message, lease_expired or access_changed',
    event_id String COMMENT 'event that caused it; empty for a timer',
    site LowCardinality(String) COMMENT 'configured place'
)
ENGINE = ReplacingMergeTree(told_at)
ORDER BY (mac, family)
TTL toDateTime(changed_at) + INTERVAL 800 DAY
SETTINGS non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.registrations_latest_from_history TO tocsin.registrations_latest AS
SELECT * EXCEPT (transition_id)
FROM tocsin.registration_history;

-- One row a MAC and family: where every device stands now.
CREATE VIEW IF NOT EXISTS tocsin.registrations AS
SELECT *
FROM tocsin.registrations_latest
FINAL;
