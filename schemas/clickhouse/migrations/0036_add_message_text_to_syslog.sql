-- Finds words without reading messages: a text index on the lower-case words of a message. Searches must spell it the same way,
-- hasAllTokens(lower(message), ['bgp', 'notification']), as question `search` does. Parts written before this migration get the index
-- when they are merged; until then they are searched by reading. What it costs and gains stands in schemas/clickhouse/README.md.
ALTER TABLE tocsin.syslog
    ADD INDEX IF NOT EXISTS message_text lower(message) TYPE text(tokenizer = splitByNonAlpha);
