-- Makes room for message_words of 0070: what a text index is made of cannot be altered, and an expression has only one.
ALTER TABLE tocsin.syslog
    DROP INDEX IF EXISTS message_text;
