package dev.sluice.faults.fuzz;

import dev.sluice.contract.OpenApiDocument;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/// Generates values that fit a schema.
final class SchemaValueGenerator {

    /// A URL at which nothing is listening, so deliveries to it fail immediately.
    private static final String UNREACHABLE_URL = "http://127.0.0.1:1/hook";

    private static final List<String> SAMPLE_TEXTS =
            List.of("a", "Shop", "order.created", "ü – € 😀", "with space", "{{request_id}}", "0");

    /// Valid strings for each `pattern` in the schemas.
    private static final Map<String, List<String>> TEXTS_BY_PATTERN =
            Map.ofEntries(
                    Map.entry("^#[0-9a-fA-F]{6}$", List.of("#2563eb", "#000000", "#FFFFFF")),
                    Map.entry(
                            "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
                            List.of("X-Signature", "x-a", "X-Key!")),
                    Map.entry(
                            "^(body(\\.([^.\\\\]|\\\\[\\s\\S])+){1,32}|headers\\.([!#$%&'*+.^_`|~0-9A-Za-z-]|\\\\\\.)+)$",
                            List.of("body.type", "body.a.0.b", "body.a\\.b", "headers.X-A")),
                    Map.entry(
                            "^[^@\\x00-\\x20\\x7f,;<>\"()\\[\\]\\\\]+@[^@\\x00-\\x20\\x7f,;<>\"()]+$",
                            List.of("a@example.com", "ü@x")),
                    Map.entry(
                            "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(,[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})*$",
                            List.of("018f3c5e-7a00-7bbb-8ccc-2d5e6f708192")),
                    Map.entry("^[^:\\x00-\\x1f\\x7f-\\x9f]*$", List.of("user", "ü")),
                    Map.entry("^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]", List.of(UNREACHABLE_URL)),
                    Map.entry("^([!-~]([\\t -~]*[!-~])?)?$", List.of("a", "", "a b")),
                    Map.entry(
                            "^(exhausted|failed|filtered|succeeded)(,(exhausted|failed|filtered|succeeded))*$",
                            List.of("exhausted", "failed,filtered", "succeeded")),
                    Map.entry(
                            "^(exhausted|failed)(,(exhausted|failed))*$",
                            List.of("exhausted", "failed,exhausted")),
                    Map.entry("^[0-9a-fA-F]{64}$", List.of("0aF9".repeat(16))),
                    Map.entry("^[0-9A-Za-z]{22,64}$", List.of("aB3".repeat(8), "z9".repeat(32))),
                    Map.entry("^[A-Za-z0-9_-]+$", List.of("AAAA", "a_Z-9")));

    /// Groups of mutually exclusive fields: a request needs exactly one field from a group. The
    /// schemas state this only in words.
    private static final List<List<String>> EXCLUSIVE_FIELDS =
            List.of(List.of("connection_id", "destination_id"), List.of("event_id", "sample"));

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final OpenApiDocument document;
    private final KnownIds known;
    private final RandomGenerator random;

    SchemaValueGenerator(OpenApiDocument document, KnownIds known, RandomGenerator random) {
        this.document = document;
        this.known = known;
        this.random = random;
    }

    JsonNode generate(JsonNode reference) {
        return generate(reference, "");
    }

    /// @param field the name of the field that the value is for. If the value is an id, the name
    ///   says what kind of object the id belongs to
    private JsonNode generate(JsonNode reference, String field) {
        var schema = document.resolve(reference);
        if (schema.has("const")) {
            return schema.path("const");
        }
        for (String choice : List.of("enum", "oneOf", "anyOf")) {
            if (schema.path(choice).isArray()) {
                var chosen = pick(List.copyOf(schema.path(choice).values()));
                return choice.equals("enum") ? chosen : generate(chosen, field);
            }
        }
        if (schema.path("if").has("type")) {
            return ofEitherType(schema, field);
        }
        return switch (type(schema)) {
            case "null" -> JSON.nullNode();
            case "boolean" -> JSON.booleanNode(random.nextBoolean());
            case "integer", "number" -> JSON.numberNode(number(schema));
            case "string" -> JSON.stringNode(text(schema, field));
            case "array" -> array(schema);
            case "object" -> object(schema);
            default -> anyJson();
        };
    }

    /// Makes a value for a schema whose `if` names a type. A value of that type must also satisfy
    /// `then`; any other value must satisfy `else`. Chooses between the two at random.
    private JsonNode ofEitherType(JsonNode schema, String field) {
        if (random.nextBoolean()) {
            return generate(schema.path("else"), field);
        }
        var both = JSON.objectNode();
        both.setAll((ObjectNode) schema.path("if"));
        both.setAll((ObjectNode) schema.path("then"));
        return generate(both, field);
    }

    private String type(JsonNode schema) {
        var type = schema.path("type");
        return type.isArray() ? pick(List.copyOf(type.values())).asString() : type.asString("");
    }

    private long number(JsonNode schema) {
        long least = schema.path("minimum").asLong(0);
        long most = schema.path("maximum").asLong(1_000_000);
        return switch (random.nextInt(4)) {
            case 0 -> least;
            case 1 -> most;
            default -> random.nextLong(least, most + 1);
        };
    }

    private String text(JsonNode schema, String field) {
        switch (schema.path("format").asString("")) {
            case "uuid" -> {
                return known.anyId(field.replace("_id", ""), random);
            }
            case "date-time" -> {
                return "2026-01-02T03:04:05.678Z";
            }
            default -> {}
        }
        var fitting = TEXTS_BY_PATTERN.get(schema.path("pattern").asString(""));
        if (fitting != null) {
            return pick(fitting);
        }
        int most = Math.min(schema.path("maxLength").asInt(50), 3000);
        if (random.nextInt(8) == 0) {
            return "x".repeat(most);
        }
        String text = pick(SAMPLE_TEXTS);
        int length = text.codePointCount(0, text.length());
        int least = schema.path("minLength").asInt(0);
        return length <= most ? text + "a".repeat(Math.max(0, least - length)) : "a".repeat(most);
    }

    private JsonNode array(JsonNode schema) {
        int least = schema.path("minItems").asInt(0);
        int most = Math.min(schema.path("maxItems").asInt(3), Math.max(least, 3));
        var array = JSON.arrayNode();
        for (int left = random.nextInt(least, most + 1); left > 0; left--) {
            array.add(generate(schema.path("items")));
        }
        return array;
    }

    private ObjectNode object(JsonNode schema) {
        var object = JSON.objectNode();
        var required = new HashSet<String>();
        schema.path("required").forEach(name -> required.add(name.asString()));
        var excluded = chooseExclusive(schema, required);
        if (schema.path("properties").has("op") && schema.path("properties").has("operator")) {
            boolean isGroup = random.nextBoolean();
            required.addAll(isGroup ? List.of("operator", "rules") : List.of("path", "op"));
            excluded.addAll(
                    isGroup ? List.of("path", "op", "value") : List.of("operator", "rules"));
        }
        for (var property : schema.path("properties").properties()) {
            String name = property.getKey();
            if (required.contains(name) || (!excluded.contains(name) && random.nextInt(5) < 2)) {
                var value = generate(property.getValue(), name);
                while (required.contains(name) && value.isNull()) {
                    value = generate(property.getValue(), name);
                }
                object.set(name, value);
            }
        }
        var others = schema.path("additionalProperties");
        if (others.isObject() || others.asBoolean(false)) {
            for (int left = random.nextInt(3); left > 0; left--) {
                object.set("X-Field-" + left, others.isObject() ? generate(others) : anyJson());
            }
        }
        meetConditions(object, schema);
        return object;
    }

    /// Makes the object satisfy the schema's `if`, `then` and `else`. Finds the branch that applies
    /// to the object, adds the fields that it requires, and replaces the values that it restricts.
    private void meetConditions(ObjectNode object, JsonNode schema) {
        if (!schema.has("if")) {
            return;
        }
        var branch = schema.path(isMet(schema.path("if"), object) ? "then" : "else");
        for (var name : branch.path("required")) {
            if (!object.has(name.asString())) {
                object.set(name.asString(), anyJson());
            }
        }
        for (var property : branch.path("properties").properties()) {
            var wanted = property.getValue();
            boolean isListAlready =
                    !wanted.has("minItems")
                            && wanted.path("type").asString("").equals("array")
                            && object.path(property.getKey()).isArray();
            if (object.has(property.getKey()) && !isListAlready) {
                object.set(property.getKey(), generate(wanted));
            }
        }
        meetConditions(object, branch);
    }

    /// Returns whether the object meets the condition. If the condition has `anyOf`, the object
    /// must meet one of its alternatives. Otherwise, the condition restricts properties of the
    /// object: each must have the given `const` or one of the given `enum` values, or, if a `type`
    /// is given instead, be a string or an array.
    private static boolean isMet(JsonNode condition, ObjectNode object) {
        if (condition.has("anyOf")) {
            return condition.path("anyOf").valueStream().anyMatch(one -> isMet(one, object));
        }
        for (var property : condition.path("properties").properties()) {
            var value = object.path(property.getKey());
            var wanted = property.getValue();
            boolean fits =
                    wanted.has("type")
                            ? value.isString() || value.isArray()
                            : value.equals(wanted.path("const"))
                                    || wanted.path("enum").values().contains(value);
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    /// Picks one field from each group in [#EXCLUSIVE_FIELDS] that the schema has, and adds it to
    /// `required`. Returns the other fields of these groups, which the object must not have.
    private Set<String> chooseExclusive(JsonNode schema, Set<String> required) {
        var excluded = new HashSet<String>();
        for (var group : EXCLUSIVE_FIELDS) {
            if (schema.path("properties").propertyNames().containsAll(group)) {
                String chosen = pick(group);
                required.add(chosen);
                group.stream().filter(name -> !name.equals(chosen)).forEach(excluded::add);
            }
        }
        return excluded;
    }

    /// Returns a JSON value of a random type.
    JsonNode anyJson() {
        return switch (random.nextInt(6)) {
            case 0 -> JSON.nullNode();
            case 1 -> JSON.booleanNode(true);
            case 2 -> JSON.numberNode(random.nextInt());
            case 3 -> JSON.stringNode(pick(SAMPLE_TEXTS));
            case 4 -> JSON.arrayNode().add(1).add("a");
            default -> JSON.objectNode().put("a", 1);
        };
    }

    <T> T pick(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
