/**
 * What devices tell more than one agent: which of the copies goes on, and which are counted only.
 */
package io.tocsin.correlation.copies;
