-- The ledger of `tocsin schema apply`: which file was applied, and the SHA-256 of its text, so that an edited migration is refused.
-- ReplacingMergeTree makes two appliers at once harmless; read it with FINAL.
CREATE TABLE IF NOT EXISTS tocsin.schema_migrations
(
    number UInt32 COMMENT 'NNNN of the file name',
    name String COMMENT 'file name',
    sha256 FixedString(64) COMMENT 'hexadecimal digest of the file',
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree
ORDER BY number;
