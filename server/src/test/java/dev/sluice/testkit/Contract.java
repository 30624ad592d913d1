package dev.sluice.testkit;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Holds answers against `openapi.json`: an undocumented status, content type or field, a missing
/// one, and a header that must be there and is not, are errors. Thread-safe.
///
/// [Api] asks it about every answer that a test receives.
public final class Contract {

    public static final Path FILE = Path.of("src/main/resources/openapi.json");

    private static final String BASE = "https://sluice.invalid/openapi.json";
    private static final String SCHEMAS = "#/components/schemas/";

    /// What the server refuses before it knows the operation.
    private static final Set<Integer> WITHOUT_OPERATION =
            Set.of(400, 404, 405, 408, 413, 431, 500, 503);

    /// What this run's tests have to keep.
    static final Contract SHIPPED = Contract.read();

    /// An operation of the document.
    ///
    /// @param path with names in braces
    public record Operation(String method, String path, JsonNode json) {

        public String id() {
            return json.path("operationId").asString();
        }

        public String route() {
            return method + " " + path;
        }

        boolean isIngest() {
            return path.startsWith("/in/");
        }
    }

    private final JsonMapper reader =
            JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    private final JsonNode document;
    private final List<Operation> operations = new ArrayList<>();
    private final SchemaRegistry registry;
    private final Map<String, Schema> schemas = new ConcurrentHashMap<>();
    private final LongAdder answers = new LongAdder();
    private final Set<String> answered = Collections.synchronizedSet(new TreeSet<>());

    private Contract(String text) {
        this.document = reader.readTree(text);
        for (var path : document.path("paths").properties()) {
            for (var operation : path.getValue().properties()) {
                if (!operation.getKey().equals("parameters")) {
                    operations.add(
                            new Operation(
                                    operation.getKey().toUpperCase(Locale.ROOT),
                                    path.getKey(),
                                    operation.getValue()));
                }
            }
        }
        var config =
                SchemaRegistryConfig.builder()
                        .formatAssertionsEnabled(true)
                        .locale(Locale.ENGLISH)
                        .build();
        this.registry =
                SchemaRegistry.withDefaultDialect(
                        SpecificationVersion.DRAFT_2020_12,
                        builder ->
                                builder.schemaRegistryConfig(config)
                                        .schemas(Map.of(BASE, document.toString())));
    }

    public static Contract read() {
        try {
            return new Contract(Files.readString(FILE, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The whole document.
    public JsonNode document() {
        return document;
    }

    public List<Operation> operations() {
        return List.copyOf(operations);
    }

    /// How many answers fitted so far.
    public long answers() {
        return answers.sum();
    }

    /// The ids of the operations that they answered.
    public Set<String> answered() {
        return Set.copyOf(answered);
    }

    /// The node itself, or what it refers to.
    public JsonNode resolve(JsonNode node) {
        String ref = node.path("$ref").asString("");
        return ref.isEmpty() ? node : document.at(ref.substring(1));
    }

    /// What is wrong with a value by the schema that `ref` names, as `path: message`.
    public List<String> errors(String ref, JsonNode value) {
        var schema =
                schemas.computeIfAbsent(
                        ref, name -> registry.getSchema(SchemaLocation.of(BASE + name)));
        return schema.validate(value).stream()
                .map(error -> error.getInstanceLocation() + ": " + error.getMessage())
                .toList();
    }

    /// @param path as it was sent, without the query
    /// @throws AssertionError when the document does not foresee the answer
    void check(String method, String path, Api.Answer answer) {
        var operation = find(method.equals("HEAD") ? "GET" : method, path);
        var errors =
                operation
                        .map(found -> errors(found, method, answer))
                        .orElseGet(() -> errorsWithoutOperation(method, answer));
        if (!errors.isEmpty()) {
            throw new AssertionError(
                    "%s %s answered %d, which openapi.json does not foresee (operation %s):%n  %s%n%s"
                            .formatted(
                                    method,
                                    path,
                                    answer.status(),
                                    operation.map(Operation::id).orElse("none"),
                                    String.join("\n  ", errors),
                                    start(answer.body())));
        }
        answers.increment();
        operation.ifPresent(found -> answered.add(found.id()));
    }

    private static String start(String body) {
        return body.length() > 2_000 ? body.substring(0, 2_000) + " …" : body;
    }

    /// The one with the fewest names in its path, as the router has it.
    Optional<Operation> find(String method, String path) {
        Optional<Operation> best = Optional.empty();
        for (var operation : operations) {
            if (operation.method().equals(method)
                    && matches(operation.path(), path)
                    && (best.isEmpty() || names(operation) < names(best.get()))) {
                best = Optional.of(operation);
            }
        }
        return best;
    }

    private static long names(Operation operation) {
        return operation.path().chars().filter(c -> c == '{').count();
    }

    private static boolean matches(String pattern, String path) {
        if (pattern.startsWith("/in/")) {
            return path.startsWith("/in/");
        }
        String[] expected = pattern.split("/", -1);
        String[] found = path.replaceFirst("/$", "").split("/", -1);
        if (expected.length != found.length) {
            return false;
        }
        for (int i = 0; i < expected.length; i++) {
            if (!expected[i].startsWith("{") && !expected[i].equals(found[i])) {
                return false;
            }
        }
        return true;
    }

    private List<String> errorsWithoutOperation(String method, Api.Answer answer) {
        if (!WITHOUT_OPERATION.contains(answer.status())) {
            return List.of("there is no such operation, and the status is not of an error");
        }
        return method.equals("HEAD") ? List.of() : bodyErrors("Error", answer.body());
    }

    private List<String> errors(Operation operation, String method, Api.Answer answer) {
        var responses = operation.json().path("responses");
        var errors = new ArrayList<String>();
        var response = responses.path(Integer.toString(answer.status()));
        if (response.isMissingNode()) {
            errors.add("the status is not documented");
        } else {
            errors.addAll(errors(resolve(response), method, answer));
        }
        if (!errors.isEmpty() && operation.isIngest() && !isOurs(answer.body())) {
            return errors(resolve(responses.path("default")), method, answer);
        }
        return errors;
    }

    /// Whether an ingest URL's answer is the standard one or an error, and not what a source's
    /// `response_config` says.
    private static boolean isOurs(String body) {
        return body.startsWith("{\"error\":{\"code\"")
                || body.contains("\"message\":\"Event accepted\"");
    }

    private List<String> errors(JsonNode response, String method, Api.Answer answer) {
        var errors = new ArrayList<String>();
        for (var header : response.path("headers").properties()) {
            boolean isRequired = resolve(header.getValue()).path("required").asBoolean(false);
            if (isRequired && answer.header(header.getKey()).isEmpty()) {
                errors.add("the header " + header.getKey() + " is missing");
            }
        }
        if (method.equals("HEAD")) {
            return errors;
        }
        var content = response.path("content");
        if (content.isMissingNode()) {
            if (!answer.body().isEmpty()) {
                errors.add("there must be no body");
            }
            return errors;
        }
        String type = answer.header("Content-Type").orElse("none").split(";", 2)[0].strip();
        var media = content.path(type.toLowerCase(Locale.ROOT));
        if (media.isMissingNode()) {
            errors.add("the content type " + type + " is not documented");
        } else if (type.equals("application/json")) {
            String ref = media.path("schema").path("$ref").asString();
            errors.addAll(bodyErrors(ref.substring(SCHEMAS.length()), answer.body()));
        }
        return errors;
    }

    private List<String> bodyErrors(String schema, String body) {
        try {
            return errors(SCHEMAS + schema, reader.readTree(body)).stream()
                    .map(error -> schema + " " + error)
                    .toList();
        } catch (JacksonException e) {
            return List.of("the body is not JSON: " + e.getOriginalMessage());
        }
    }
}
