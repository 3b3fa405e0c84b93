/** Topic {@code rules-v1} as Kafka has it: for the command, and for the job's start. */
package io.tocsin.rules.topic;
