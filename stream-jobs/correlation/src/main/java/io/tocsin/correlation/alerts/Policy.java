package io.tocsin.correlation.alerts;

/**
 * What people say about alerts beforehand: which ones explain others, what follows from them, and
 * when some are expected. It comes from documents of topic {@code rules-v1} and decides who is
 * paged, never what is open.
 */
public sealed interface Policy permits MaintenanceWindow, Dependency, FaultTree {
  /** Unique over all documents. */
  String name();
}
