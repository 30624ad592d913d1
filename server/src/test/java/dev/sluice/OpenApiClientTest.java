package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.ApiOperation;
import dev.sluice.contract.OpenApiDocument;
import dev.sluice.testkit.OpenApiContract;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/// Tests that the whole OpenAPI document keeps to what client generators read. Each rule is there
/// because a generator made a client that changed settings, refused an answer or did not compile
/// ([ADR 35](../../../../../../docs/adr/0035-a-document-for-client-generators.md)).
class OpenApiClientTest {

    private static final OpenApiDocument CONTRACT = OpenApiContract.read().document();
    private static final JsonNode DOCUMENT = CONTRACT.root();
    private static final JsonNode SCHEMAS = DOCUMENT.at("/components/schemas");

    /// The keywords whose schemas generators do not read. Validators do.
    private static final Set<String> CONDITIONS = Set.of("if", "then", "else");

    private static final Set<String> EXAMPLES = Set.of("example", "examples");

    @Test
    void no_body_has_a_default() {
        // Clients send it: a PATCH of a name would reset what has one. In TypeScript a field with a
        // default is a required one.
        assertThat(where((_, node) -> node.has("default"))).isEmpty();
    }

    @Test
    void an_answer_may_gain_fields_and_a_request_may_not_hold_unknown_ones() {
        var closedAnswers = new TreeSet<String>();
        var openRequests = new TreeSet<String>();
        for (String name : answers()) {
            visit(
                    SCHEMAS.path(name),
                    name,
                    (where, node) -> {
                        if (node.path("additionalProperties").isBoolean()
                                && !node.path("additionalProperties").asBoolean()) {
                            closedAnswers.add(where);
                        }
                    });
        }
        for (String name : requests()) {
            visit(
                    SCHEMAS.path(name),
                    name,
                    (where, node) -> {
                        if (isObject(node) && !node.has("additionalProperties")) {
                            openRequests.add(where);
                        }
                    });
        }

        assertThat(closedAnswers).isEmpty();
        assertThat(openRequests).isEmpty();
    }

    @Test
    void no_object_is_both_sent_and_answered() {
        var shared = requests();
        shared.retainAll(answers());

        assertThat(shared)
                .allMatch(
                        name -> !isObject(SCHEMAS.path(name)) && !SCHEMAS.path(name).has("oneOf"));
    }

    @Test
    void a_choice_names_the_field_that_decides() {
        var choices = where((_, node) -> node.has("oneOf"));

        assertThat(choices).isNotEmpty();
        for (String name : choices) {
            var choice = SCHEMAS.path(name); // only a named schema is a choice
            String field = choice.path("discriminator").path("propertyName").asString("");
            var mapping = choice.path("discriminator").path("mapping");
            assertThat(mapping.valueStream().map(JsonNode::asString).distinct())
                    .as(name)
                    .isNotEmpty()
                    .containsExactlyElementsOf(
                            choice.path("oneOf")
                                    .valueStream()
                                    .map(one -> one.path("$ref").asString())
                                    .toList());
            for (var entry : mapping.properties()) {
                var variant = DOCUMENT.at(entry.getValue().asString().substring(1));
                var decides = variant.path("properties").path(field);
                assertThat(
                                decides.has("const")
                                        ? List.of(decides.path("const").asString())
                                        : texts(decides.path("enum")))
                        .contains(entry.getKey());
            }
        }
    }

    @Test
    void what_may_be_null_is_a_named_object_or_enumeration_or_a_type_with_null() {
        var wrong =
                where((_, node) -> {
                    if (node.path("enum").values().stream().anyMatch(JsonNode::isNull)) {
                        return true;
                    }
                    var choices = node.path("anyOf");
                    if (choices.isMissingNode()) {
                        return false;
                    }
                    var named = CONTRACT.resolve(choices.path(0));
                    return choices.size() != 2
                            || !choices.path(0).has("$ref")
                            || !choices.path(1).path("type").asString().equals("null")
                            || !(isType(named, "object")
                                    || named.has("enum")
                                    || named.has("oneOf"));
                });

        assertThat(wrong).isEmpty();
    }

    @Test
    void a_constant_is_a_text_and_nothing_is_put_together_or_negated() {
        assertThat(
                        where((_, node) ->
                                (node.has("const") && !node.path("const").isString())
                                        || node.has("allOf")
                                        || node.has("not")))
                .isEmpty();
    }

    @Test
    void a_format_has_no_pattern_beside_it() {
        assertThat(where((_, node) -> node.has("pattern") && node.has("format"))).isEmpty();
    }

    @Test
    void an_object_with_fields_has_a_name() {
        assertThat(where((where, node) -> where.contains("/") && isObject(node))).isEmpty();
    }

    @Test
    void no_schema_has_the_name_of_a_constructor() {
        // In Go a schema `Thing` has a function `NewThing`.
        assertThat(SCHEMAS.propertyNames())
                .noneMatch(name -> name.startsWith("New") && SCHEMAS.has(name.substring(3)));
    }

    @Test
    void a_value_has_one_type_beside_null() {
        assertThat(
                        where((_, node) ->
                                texts(node.path("type")).stream()
                                                .filter(type -> !type.equals("null"))
                                                .count()
                                        > 1))
                .isEmpty();
    }

    @Test
    void a_list_or_a_map_that_must_not_be_sent_empty_can_be_left_out() {
        // Clients in Java send an empty one for what was left out, unless it may be null.
        var wrong = new ArrayList<String>();
        for (String name : requests()) {
            var schema = SCHEMAS.path(name);
            var required = texts(schema.path("required"));
            for (var property : schema.path("properties").properties()) {
                var node = property.getValue();
                var named = CONTRACT.resolve(node);
                boolean isCollection =
                        isType(named, "array")
                                || (isType(named, "object") && !named.has("properties"));
                boolean keepsEmpty =
                        name.endsWith("Update")
                                || named.path("minItems").asInt(0) > 0
                                || schema.has("if");
                boolean isNullable = node.has("anyOf") || isType(node, "null");
                if (isCollection
                        && keepsEmpty
                        && !isNullable
                        && !required.contains(property.getKey())) {
                    wrong.add(name + "." + property.getKey());
                }
            }
        }

        assertThat(wrong).isEmpty();
    }

    @Test
    void an_operation_has_one_schema_of_success() {
        for (var operation : CONTRACT.operations()) {
            var schemas = new TreeSet<String>();
            for (var response : operation.responses().properties()) {
                if (response.getKey().startsWith("2")) {
                    var json =
                            CONTRACT.resolve(response.getValue())
                                    .path("content")
                                    .path("application/json");
                    schemas.add(json.path("schema").path("$ref").asString(""));
                }
            }
            schemas.remove("");
            assertThat(schemas).as(operation.id()).hasSizeLessThanOrEqualTo(1);
        }
    }

    @Test
    void an_operation_is_described_and_has_every_status_that_any_request_can_get() {
        assertThat(DOCUMENT.path("info").path("contact").path("name").asString("")).isNotBlank();
        for (var operation : CONTRACT.operations()) {
            assertThat(operation.json().path("description").asString(""))
                    .as(operation.id())
                    .isNotBlank();
            assertThat(operation.responses().propertyNames())
                    .as(operation.id())
                    .contains("400", "408", "417", "431", "500", "503", "505");
        }
    }

    @Test
    void a_text_of_a_request_says_that_it_holds_no_nul() {
        var silent = new TreeSet<String>();
        for (String name : requests()) {
            visit(
                    SCHEMAS.path(name),
                    name,
                    (where, node) -> {
                        boolean isBounded =
                                Stream.of("pattern", "format", "enum", "const", "contentEncoding")
                                        .anyMatch(node::has);
                        if (isType(node, "string") && !isBounded) {
                            silent.add(where);
                        }
                    });
        }

        assertThat(silent).isEmpty();
    }

    private static boolean isObject(JsonNode schema) {
        return schema.path("properties").isObject();
    }

    private static boolean isType(JsonNode schema, String type) {
        var found = schema.path("type");
        return found.isArray() ? texts(found).contains(type) : found.asString("").equals(type);
    }

    private static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asString).toList();
    }

    private interface SchemaRule {
        boolean isBrokenBy(String where, JsonNode schema);
    }

    /// Returns where in the schemas the rule is broken.
    private static Set<String> where(SchemaRule rule) {
        var found = new TreeSet<String>();
        for (var schema : SCHEMAS.properties()) {
            visit(
                    schema.getValue(),
                    schema.getKey(),
                    (where, node) -> {
                        if (rule.isBrokenBy(where, node)) {
                            found.add(where);
                        }
                    });
        }
        return found;
    }

    /// Visits a schema and those in it. Names of fields are not taken for keywords.
    private static void visit(JsonNode schema, String where, BiConsumer<String, JsonNode> visit) {
        visit.accept(where, schema);
        for (var keyword : schema.properties()) {
            String name = keyword.getKey();
            var value = keyword.getValue();
            String below = where + "/" + name;
            if (name.equals("properties")) {
                value.properties()
                        .forEach(field ->
                                visit(field.getValue(), below + "/" + field.getKey(), visit));
            } else if (value.isObject()
                    && !CONDITIONS.contains(name)
                    && !EXAMPLES.contains(name)
                    && !name.equals("discriminator")) {
                visit(value, below, visit);
            } else if (name.equals("anyOf") || name.equals("oneOf") || name.equals("allOf")) {
                value.forEach(one -> visit(one, below, visit));
            }
        }
    }

    private static Set<String> requests() {
        var bodies = CONTRACT.operations().stream().map(one -> one.json().path("requestBody"));
        return reachable(bodies.toList());
    }

    private static Set<String> answers() {
        var roots =
                new ArrayList<>(
                        CONTRACT.operations().stream().map(ApiOperation::responses).toList());
        roots.add(DOCUMENT.at("/components/responses"));
        return reachable(roots);
    }

    /// Returns the names of the schemas that these parts of the document lead to.
    private static Set<String> reachable(List<JsonNode> roots) {
        var names = new TreeSet<String>();
        var waiting = new ArrayDeque<>(roots);
        while (!waiting.isEmpty()) {
            var node = waiting.remove();
            String ref = node.isObject() ? node.path("$ref").asString("") : "";
            if (ref.startsWith(OpenApiDocument.SCHEMA_PREFIX)
                    && names.add(ref.substring(OpenApiDocument.SCHEMA_PREFIX.length()))) {
                waiting.add(CONTRACT.resolve(node));
            }
            for (var field : node.properties()) {
                if (!EXAMPLES.contains(field.getKey())) {
                    waiting.add(field.getValue());
                }
            }
            if (node.isArray()) {
                node.forEach(waiting::add);
            }
        }
        return names;
    }
}
