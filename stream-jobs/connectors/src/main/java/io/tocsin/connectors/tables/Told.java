package io.tocsin.connectors.tables;

/**
 * What a job told, and when its topic took it: of two with one key, the one told last stands.
 *
 * @param <T> message
 * @param message as it was told
 * @param atUnixNanos when
 */
record Told<T>(T message, long atUnixNanos) {}
