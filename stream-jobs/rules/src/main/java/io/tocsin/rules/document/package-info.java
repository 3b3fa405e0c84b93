/**
 * The documents of {@code deploy/rules/}: what people write, read with the line of every mistake.
 *
 * <p>Nothing here knows a clock, a file or Kafka: text goes in, a {@link Document} or a {@link
 * DocumentException} comes out. The job and the command read by the same code.
 */
package io.tocsin.rules.document;
