import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Makes JSON schemas for kubeconform, one file a kind, of Kubernetes' own OpenAPI document and of the operators' custom resource definitions. A field that
 * is not defined is refused: an API server would drop it, and say nothing.
 *
 * <p>Arguments: folder to write to, Kubernetes' swagger.json, CRDs as YAML.
 */
final class Schemas {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final String DEFINITION = "#/definitions/";

  private Schemas() {}

  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    writeKubernetes(JSON.readTree(new File(args[1])).get("definitions"), folder);
    for (int i = 2; i < args.length; i++) {
      writeCustom(YAML.readTree(new File(args[i])), folder);
    }
  }

  /** Each kind with the definitions that it is made of. */
  private static void writeKubernetes(JsonNode definitions, Path folder) throws IOException {
    definitions.forEach(Schemas::close);
    ((ObjectNode) definitions.at("/io.k8s.apimachinery.pkg.util.intstr.IntOrString")).removeAll();
    ((ObjectNode) definitions.at("/io.k8s.apimachinery.pkg.api.resource.Quantity")).remove("type");
    for (var definition : definitions.properties()) {
      JsonNode kinds = definition.getValue().path("x-kubernetes-group-version-kind");
      if (kinds.size() != 1 || kinds.at("/0/kind").asText().endsWith("List")) {
        continue;
      }
      ObjectNode schema = JSON.createObjectNode().put("$ref", DEFINITION + definition.getKey());
      ObjectNode needed = schema.putObject("definitions");
      Deque<String> open = new ArrayDeque<>(Set.of(definition.getKey()));
      while (!open.isEmpty()) {
        String name = open.pop();
        if (!needed.has(name)) {
          needed.set(name, definitions.get(name));
          open.addAll(references(definitions.get(name), new TreeSet<>()));
        }
      }
      write(folder, kinds.at("/0/kind"), kinds.at("/0/group"), kinds.at("/0/version"), schema);
    }
  }

  private static void writeCustom(JsonNode crd, Path folder) throws IOException {
    for (JsonNode version : crd.at("/spec/versions")) {
      JsonNode schema = version.at("/schema/openAPIV3Schema");
      // Flink 2 came after the last release whose definitions are on Maven Central.
      if (schema.at("/properties/spec/properties/flinkVersion/enum") instanceof ArrayNode flinks) {
        flinks.add("v2_2");
      }
      close(schema);
      ObjectNode fields = (ObjectNode) schema.get("properties");
      for (String each : Set.of("apiVersion", "kind", "metadata")) {
        fields.putIfAbsent(each, JSON.createObjectNode());
      }
      write(folder, crd.at("/spec/names/kind"), crd.at("/spec/group"), version.get("name"), schema);
    }
  }

  /** What an API server makes of a schema: no fields but those defined, null where it says so. */
  private static void close(JsonNode schema) {
    schema.forEach(Schemas::close);
    if (!(schema instanceof ObjectNode node)) {
      return;
    }
    if (node.path("x-kubernetes-int-or-string").asBoolean()) {
      node.remove("type");
    }
    if (node.path("properties").isObject()
        && node.path("type").asText("object").equals("object")
        && !node.has("additionalProperties")
        && !node.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
      node.put("additionalProperties", false);
    }
    if (node.path("nullable").asBoolean() && node.path("type").isTextual()) {
      node.set("type", JSON.createArrayNode().add(node.get("type")).add("null"));
    }
  }

  private static Set<String> references(JsonNode schema, Set<String> into) {
    if (schema.path("$ref").isTextual()) {
      into.add(schema.get("$ref").asText().substring(DEFINITION.length()));
    }
    schema.forEach(each -> references(each, into));
    return into;
  }

  /** Under the name by which kubeconform looks for it. */
  private static void write(Path folder, JsonNode kind, JsonNode group, JsonNode version, JsonNode schema) throws IOException {
    String of = group.asText().isEmpty() ? "" : group.asText().split("\\.")[0] + "-";
    String name = (kind.asText() + "-" + of + version.asText()).toLowerCase(Locale.ROOT);
    JSON.writeValue(folder.resolve(name + ".json").toFile(), schema);
  }
}
