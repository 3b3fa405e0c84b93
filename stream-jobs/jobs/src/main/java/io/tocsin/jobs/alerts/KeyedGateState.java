package io.tocsin.jobs.alerts;

import io.tocsin.correlation.alerts.Acknowledged;
import io.tocsin.correlation.alerts.GateState;
import io.tocsin.correlation.alerts.GatedAlert;
import io.tocsin.correlation.alerts.StormGroup;
import io.tocsin.correlation.alerts.Stray;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.FlinkRuntimeException;

/** What the gate remembers, in Flink's keyed state: an entry each, so that RocksDB can hold it. */
final class KeyedGateState implements GateState {
  private final MapState<String, GatedAlert> alerts;
  private final MapState<String, StormGroup> groups;
  private final MapState<String, Stray> strays;
  private final MapState<String, Acknowledged> acknowledged;
  private final ValueState<Long> clockUnixNanos;
  private final ValueState<Long> treeVersion;

  KeyedGateState(RuntimeContext context) {
    alerts = context.getMapState(descriptor("gated-alerts", GatedAlert.class));
    groups = context.getMapState(descriptor("storm-groups", StormGroup.class));
    strays = context.getMapState(descriptor("strays", Stray.class));
    acknowledged = context.getMapState(descriptor("acknowledged", Acknowledged.class));
    clockUnixNanos = context.getState(new ValueStateDescriptor<>("clock", Types.LONG));
    treeVersion = context.getState(new ValueStateDescriptor<>("tree-version", Types.LONG));
  }

  private static <T> MapStateDescriptor<String, T> descriptor(String name, Class<T> valueClass) {
    return new MapStateDescriptor<>(name, Types.STRING, TypeInformation.of(valueClass));
  }

  @Override
  public GatedAlert alert(String fingerprint) {
    return unchecked(() -> alerts.get(fingerprint));
  }

  @Override
  public void putAlert(String fingerprint, GatedAlert alert) {
    unchecked(
        () -> {
          alerts.put(fingerprint, alert);
          return null;
        });
  }

  @Override
  public void removeAlert(String fingerprint) {
    unchecked(
        () -> {
          alerts.remove(fingerprint);
          return null;
        });
  }

  @Override
  public Iterable<Map.Entry<String, GatedAlert>> alerts() {
    return unchecked(alerts::entries);
  }

  @Override
  public StormGroup group(String key) {
    return unchecked(() -> groups.get(key));
  }

  @Override
  public void putGroup(String key, StormGroup group) {
    unchecked(
        () -> {
          groups.put(key, group);
          return null;
        });
  }

  @Override
  public void removeGroup(String key) {
    unchecked(
        () -> {
          groups.remove(key);
          return null;
        });
  }

  @Override
  public List<String> groups() {
    List<String> keys = new ArrayList<>();
    unchecked(groups::keys).forEach(keys::add);
    return keys;
  }

  @Override
  public Iterable<Map.Entry<String, Stray>> strays() {
    return unchecked(strays::entries);
  }

  @Override
  public void putStray(String fingerprint, Stray stray) {
    unchecked(
        () -> {
          strays.put(fingerprint, stray);
          return null;
        });
  }

  @Override
  public void removeStray(String fingerprint) {
    unchecked(
        () -> {
          strays.remove(fingerprint);
          return null;
        });
  }

  @Override
  public Acknowledged acknowledged(String fingerprint) {
    return unchecked(() -> acknowledged.get(fingerprint));
  }

  @Override
  public void putAcknowledged(String fingerprint, Acknowledged said) {
    unchecked(
        () -> {
          acknowledged.put(fingerprint, said);
          return null;
        });
  }

  @Override
  public void removeAcknowledged(String fingerprint) {
    unchecked(
        () -> {
          acknowledged.remove(fingerprint);
          return null;
        });
  }

  @Override
  public Iterable<Map.Entry<String, Acknowledged>> acknowledged() {
    return unchecked(acknowledged::entries);
  }

  @Override
  public long clockUnixNanos() {
    return orNothing(clockUnixNanos);
  }

  @Override
  public void putClockUnixNanos(long unixNanos) {
    update(clockUnixNanos, unixNanos);
  }

  @Override
  public long treeVersion() {
    return orNothing(treeVersion);
  }

  @Override
  public void putTreeVersion(long version) {
    update(treeVersion, version);
  }

  private static long orNothing(ValueState<Long> state) {
    Long value = unchecked(state::value);
    return value == null ? Long.MIN_VALUE : value;
  }

  private static void update(ValueState<Long> state, long value) {
    unchecked(
        () -> {
          state.update(value);
          return null;
        });
  }

  private static <T> T unchecked(Callable<T> access) {
    try {
      return access.call();
    } catch (Exception e) {
      throw new FlinkRuntimeException("the state of the gate cannot be used", e);
    }
  }
}
