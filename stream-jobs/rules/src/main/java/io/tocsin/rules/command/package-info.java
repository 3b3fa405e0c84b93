/** The command {@code tocsin-rules}: files, processes and Kafka around the job's own matcher. */
package io.tocsin.rules.command;
