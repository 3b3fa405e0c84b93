package io.tocsin.connectors.kafka;

import org.apache.flink.api.common.serialization.DeserializationSchema.InitializationContext;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.UserCodeClassLoader;

/**
 * What a deserializer is opened with in a test: metrics, and no class loader because none asks for
 * it.
 */
record MetricsOnly(MetricGroup metricGroup) implements InitializationContext {

  @Override
  public MetricGroup getMetricGroup() {
    return metricGroup;
  }

  @Override
  public UserCodeClassLoader getUserCodeClassLoader() {
    throw new UnsupportedOperationException("not needed");
  }
}
