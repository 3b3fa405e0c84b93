package io.tocsin.rules.document;

/** One document of rules-v1. */
public sealed interface Document permits Rule, PolicyDocument {
  /** Unique over all documents, whatever their kind. */
  String name();
}
