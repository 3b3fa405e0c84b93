package io.tocsin.correlation.wan;

import io.tocsin.wan.v1.WanEpisode;
import java.util.List;

/**
 * What the rules for a link answer.
 *
 * @param state to save
 * @param decisions transitions to tell, in order; their version is not counted yet
 */
public record Step(LinkState state, List<WanEpisode> decisions) {}
