package io.tocsin.correlation.findings;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.SnmpTrap;
import java.util.Locale;
import java.util.Optional;

/**
 * What a router says of its part in a group of gateways: HSRP and VRRP in Cisco's syslog, VRRP in
 * keepalived's, HSRP in the trap cHsrpStateChange.
 *
 * @param site of the router
 * @param group protocol, interface and number; the number alone may stand on many interfaces
 * @param router that says so
 * @param isActive whether it forwards for the group
 * @param atUnixNanos when the agent heard it: routers' clocks must not decide who was first
 */
public record GatewayClaim(
    String site, String group, String router, boolean isActive, long atUnixNanos) {

  private static final Pattern CISCO =
      Pattern.compile(
          "%(HSRP|STANDBY|VRRP)-\\d-STATECHANGE: (\\S+) (?:Grp|Group|grp) (\\d+) state \\S+ -> (\\w+)",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern KEEPALIVED = Pattern.compile("([\\w.-]+)\\)+ Entering (\\w+) STATE");
  private static final String HSRP_TRAP = "1.3.6.1.4.1.9.9.106.2.0.1";
  private static final String HSRP_STATE = "1.3.6.1.4.1.9.9.106.1.2.1.1.15.";

  /** The claim in a syslog message or trap, nothing where there is none. */
  public static Optional<GatewayClaim> of(Event event) {
    return switch (event.getBodyCase()) {
      case SYSLOG -> ofSyslog(event);
      case SNMP_TRAP -> ofTrap(event);
      default -> Optional.empty();
    };
  }

  private static Optional<GatewayClaim> ofSyslog(Event event) {
    String message = event.getSyslog().getMessage();
    // Every line of every device comes by here: what both patterns must find is looked for first.
    if (message.contains("-STATECHANGE: ")) {
      Matcher cisco = CISCO.matcher(message);
      if (cisco.find()) {
        String protocol = cisco.group(1).equalsIgnoreCase("VRRP") ? "vrrp" : "hsrp";
        return claim(event, protocol, cisco.group(2), cisco.group(3), cisco.group(4));
      }
    }
    if (message.contains(" Entering ")) {
      Matcher keepalived = KEEPALIVED.matcher(message);
      if (keepalived.find()) {
        return claim(event, "vrrp", "instance", keepalived.group(1), keepalived.group(2));
      }
    }
    return Optional.empty();
  }

  private static Optional<GatewayClaim> ofTrap(Event event) {
    if (!event.getSnmpTrap().getTrapOid().equals(HSRP_TRAP)) {
      return Optional.empty();
    }
    for (SnmpTrap.Varbind varbind : event.getSnmpTrap().getVarbindsList()) {
      if (varbind.getOid().startsWith(HSRP_STATE)) {
        return ofHsrpState(
            event, varbind.getOid().substring(HSRP_STATE.length()), varbind.getValue());
      }
    }
    return Optional.empty();
  }

  /** The instance is ifIndex and group, the value a number or a word with its number. */
  private static Optional<GatewayClaim> ofHsrpState(Event event, String instance, String value) {
    int dot = instance.indexOf('.');
    if (dot <= 0 || dot == instance.length() - 1 || instance.indexOf('.', dot + 1) >= 0) {
      return Optional.empty();
    }
    int bracket = value.indexOf('(');
    String state = bracket < 0 ? value : value.substring(0, bracket);
    return claim(
        event, "hsrp", "ifIndex " + instance.substring(0, dot), instance.substring(dot + 1), state);
  }

  private static Optional<GatewayClaim> claim(
      Event event, String protocol, String interfaceName, String number, String state) {
    String word = state.toLowerCase(Locale.ROOT);
    return Optional.of(
        new GatewayClaim(
            event.getSite(),
            protocol + " " + interfaceName + " " + number,
            event.getDevice(),
            word.equals("active") || word.equals("master") || word.equals("6"),
            event.getReceivedAtUnixNanos()));
  }

  /** Claims of one group at one site meet. */
  public String key() {
    return site + "/" + group;
  }
}
