-- The ledger of `tocsin schema apply`: which file was applied, and the SHA-256 of what it says, so that an edited one is refused. Number 0 is a file
-- of the baseline, named with its folder; from 1 on they are migrations. `apply` makes this table before anything else.
-- ReplacingMergeTree makes two appliers at once harmless; read it with FINAL.
-- Shard: number
CREATE TABLE IF NOT EXISTS tocsin.schema_migrations
(
    number UInt32 COMMENT 'NNNN of the file name',
    name String COMMENT 'file name',
    sha256 FixedString(64) COMMENT 'hexadecimal digest of the file',
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree
ORDER BY (number, name);
