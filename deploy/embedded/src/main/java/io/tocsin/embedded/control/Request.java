package io.tocsin.embedded.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * What another process asks of a running stack; one of the three is set.
 *
 * @param restartAgent changes to the agent's usual configuration, an object
 * @param restartJobs whether to start Flink again, with the class path of now
 * @param pushRules folder of documents to put in force
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
record Request(
    @JsonProperty("restart_agent") JsonNode restartAgent,
    @JsonProperty("restart_jobs") boolean restartJobs,
    @JsonProperty("push_rules") String pushRules) {}
