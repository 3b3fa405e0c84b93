-- Blocks of rows that ClickHouse refused for good, as the archive was to insert them: a column that is gone, a constraint, a view that throws. One row a
-- block, with its bytes. `tocsin quarantine list` says which wait here and why; `tocsin quarantine insert` stores them when the cause is mended, and says so
-- here by the same row with inserted_at and without the bytes: read it with FINAL. In the balance sheet their rows are `quarantined`, not missing.
-- Where a view threw, the table has the rows already (is_stored), and so have other views: nothing is inserted again, the view is filled by hand.
-- Whole blocks, because what is refused is almost always the table and not a row: encoders refuse before what a column cannot hold.
-- ORDER BY token: a block that is quarantined again after a restart is the same row.
-- Shard: token
CREATE TABLE IF NOT EXISTS tocsin.quarantined_blocks
(
    token String COMMENT 'deduplication token of the block: an insert that is repeated is stored once' CODEC(ZSTD(1)),
    quarantined_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') COMMENT 'when it was refused' CODEC(ZSTD(1)),
    inserted_at DateTime64(3, 'UTC') DEFAULT toDateTime64(0, 3, 'UTC') COMMENT 'when it was inserted after all; 1970 while it waits' CODEC(ZSTD(1)),
    table LowCardinality(String) COMMENT 'that refused it',
    columns Array(LowCardinality(String)) COMMENT 'that the rows have, in order',
    rows UInt64 COMMENT 'how many' CODEC(ZSTD(1)),
    bytes UInt64 COMMENT 'of zstd_rows' CODEC(ZSTD(1)),
    is_stored Bool COMMENT 'the table has the rows, and a materialized view behind it refused them' CODEC(ZSTD(1)),
    error String COMMENT 'what the server said' CODEC(ZSTD(1)),
    origins Array(Tuple(
        topic LowCardinality(String),
        partition UInt32,
        first_offset UInt64,
        last_offset UInt64,
        agent_id LowCardinality(String),
        boot_id UInt64,
        listener LowCardinality(String),
        rows UInt64)) COMMENT 'where the rows stand in Kafka, and whose they are in the balance sheet; no agent where none counts them' CODEC(ZSTD(1)),
    format LowCardinality(String) COMMENT 'of the rows: Native, or RowBinary from before',
    zstd_rows String COMMENT 'the rows in that format, compressed by zstd; empty once they are inserted' CODEC(NONE)
)
ENGINE = ReplacingMergeTree(inserted_at)
ORDER BY token
TTL toDateTime(quarantined_at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000;
