package dev.sluice.contract;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// An OpenAPI 3.1 document whose request and response bodies have named schemas. Thread-safe.
public final class OpenApiDocument {

    public static final String SCHEMA_PREFIX = "#/components/schemas/";

    private static final String BASE_URI = "https://sluice.invalid/openapi.json";
    private static final String JSON_TYPE = "application/json";

    /// The keywords whose schemas only add conditions on fields that the enclosing schema defines.
    private static final Set<String> CONDITIONS = Set.of("if", "then", "else");

    private final JsonNode root;
    private final List<ApiOperation> operations = new ArrayList<>();
    private final SchemaRegistry registry;
    private final SchemaRegistry closedRegistry;
    private final Map<String, Schema> schemas = new ConcurrentHashMap<>();
    private final Map<String, Schema> closedSchemas = new ConcurrentHashMap<>();

    private OpenApiDocument(JsonNode root) {
        this.root = root;
        for (var path : root.path("paths").properties()) {
            for (var method : path.getValue().properties()) {
                if (!method.getKey().equals("parameters")) {
                    operations.add(operation(path.getKey(), path.getValue(), method.getKey()));
                }
            }
        }
        this.registry = registry(root);
        var closed = root.deepCopy();
        closed.at("/components/schemas").forEach(OpenApiDocument::close);
        this.closedRegistry = registry(closed);
    }

    private static SchemaRegistry registry(JsonNode document) {
        var config =
                SchemaRegistryConfig.builder()
                        .formatAssertionsEnabled(true)
                        .locale(Locale.ENGLISH)
                        .build();
        return SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12,
                builder ->
                        builder.schemaRegistryConfig(config)
                                .schemas(Map.of(BASE_URI, document.toString())));
    }

    /// Closes the schema and the schemas nested in it, except those under [#CONDITIONS]. A closed
    /// schema rejects objects with fields that it does not define. Schemas that define no fields,
    /// or that set `additionalProperties` themselves, stay as they are.
    private static void close(JsonNode schema) {
        if (schema instanceof ObjectNode object
                && object.path("properties").isObject()
                && !object.has("additionalProperties")) {
            object.put("additionalProperties", false);
        }
        schema.properties().stream()
                .filter(field -> !CONDITIONS.contains(field.getKey()))
                .forEach(field -> close(field.getValue()));
        schema.values()
                .forEach(element -> {
                    if (schema.isArray()) {
                        close(element);
                    }
                });
    }

    public static OpenApiDocument parse(String text) {
        return new OpenApiDocument(JsonMapper.shared().readTree(text));
    }

    private ApiOperation operation(String path, JsonNode item, String method) {
        var json = item.path(method);
        var parameters = new ArrayList<JsonNode>();
        item.path("parameters").forEach(parameter -> parameters.add(resolve(parameter)));
        json.path("parameters").forEach(parameter -> parameters.add(resolve(parameter)));
        var media = json.path("requestBody").path("content").path(JSON_TYPE);
        var examples = new ArrayList<JsonNode>();
        media.path("examples").forEach(example -> examples.add(example.path("value")));
        return new ApiOperation(
                method.toUpperCase(Locale.ROOT),
                path,
                json,
                List.copyOf(parameters),
                media.path("schema").path("$ref").asString(""),
                List.copyOf(examples));
    }

    /// Returns the whole document.
    public JsonNode root() {
        return root;
    }

    public List<ApiOperation> operations() {
        return List.copyOf(operations);
    }

    /// @throws IllegalArgumentException if no operation has this id
    public ApiOperation operation(String id) {
        return operations.stream()
                .filter(one -> one.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no operation " + id));
    }

    /// Returns the operation that handles a request, or empty if there is none. Like the router,
    /// this considers only the matching paths with the fewest parameters, regardless of their
    /// methods.
    public Optional<ApiOperation> find(String method, String path) {
        var found = operations.stream().filter(one -> matches(one, path)).toList();
        long fewest = found.stream().mapToLong(OpenApiDocument::countParameters).min().orElse(0);
        return found.stream()
                .filter(one -> countParameters(one) == fewest && one.method().equals(method))
                .findFirst();
    }

    private static long countParameters(ApiOperation operation) {
        return operation.path().chars().filter(c -> c == '{').count();
    }

    private static boolean matches(ApiOperation operation, String path) {
        if (operation.isIngest()) {
            return path.startsWith("/in/");
        }
        String[] expected = operation.path().split("/", -1);
        String[] found = path.replaceFirst("/$", "").split("/", -1);
        boolean matches = expected.length == found.length;
        for (int i = 0; matches && i < expected.length; i++) {
            matches = expected[i].startsWith("{") || expected[i].equals(found[i]);
        }
        return matches;
    }

    /// Returns the node that the `$ref` in `node` points to, or `node` itself if it has no `$ref`.
    public JsonNode resolve(JsonNode node) {
        String ref = node.path("$ref").asString("");
        return ref.isEmpty() ? node : root.at(ref.substring(1));
    }

    /// Validates a value against the schema that `ref` names. Returns the errors, each in the form
    /// `path: message`.
    public List<String> schemaErrors(String ref, JsonNode value) {
        return errors(registry, schemas, ref, value);
    }

    /// Validates the body of a server response. Like `schemaErrors`, but also reports each field
    /// that the schema does not define. This is stricter than clients should be: they must accept
    /// unknown fields because later server versions may add some.
    public List<String> answerErrors(String ref, JsonNode value) {
        return errors(closedRegistry, closedSchemas, ref, value);
    }

    private static List<String> errors(
            SchemaRegistry registry, Map<String, Schema> schemas, String ref, JsonNode value) {
        var schema =
                schemas.computeIfAbsent(
                        ref, name -> registry.getSchema(SchemaLocation.of(BASE_URI + name)));
        return schema.validate(value).stream()
                .map(error -> error.getInstanceLocation() + ": " + error.getMessage())
                .toList();
    }
}
