package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import dev.sluice.contract.ApiOperation;
import dev.sluice.contract.OpenApiDocument;
import dev.sluice.engine.ErrorCode;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.testkit.OpenApiContract;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/// Tests the OpenAPI document itself. Every journey test checks that answers conform to it.
class OpenApiTest {

    private static final String CAMEL_CASE = "^[a-z][A-Za-z0-9]*$";

    private static final OpenApiDocument CONTRACT = OpenApiContract.read().document();
    private static final JsonNode DOCUMENT = CONTRACT.root();

    @TempDir static Path dataDir;

    @Test
    void it_is_a_valid_document_of_openapi_3_1() throws IOException {
        var meta =
                SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                        .getSchema(
                                Files.readString(
                                        Path.of("src/test/resources/oas-3.1-schema.json")));

        assertThat(meta.validate(DOCUMENT)).isEmpty();
        assertThat(DOCUMENT.path("openapi").asString()).startsWith("3.1.");
    }

    @Test
    void the_meta_schema_notices_a_wrong_document() throws IOException {
        var meta =
                SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                        .getSchema(
                                Files.readString(
                                        Path.of("src/test/resources/oas-3.1-schema.json")));
        var wrong =
                JsonMapper.shared()
                        .readTree(
                                """
                                {"openapi": "3.1.1", "info": {"title": "t", "version": "1"},
                                 "paths": {"/a": {"get": {"responses": {"200": {}}}}}}
                                """);

        assertThat(meta.validate(wrong)).isNotEmpty();
    }

    @Test
    void every_schema_is_valid_json_schema() {
        var meta =
                SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                        .getSchema(
                                com.networknt.schema.SchemaLocation.of(
                                        "https://json-schema.org/draft/2020-12/schema"));
        var wrong = new ArrayList<String>();
        DOCUMENT.at("/components/schemas")
                .properties()
                .forEach(schema ->
                        meta.validate(schema.getValue())
                                .forEach(error -> wrong.add(schema.getKey() + error)));

        assertThat(wrong).isEmpty();
    }

    @Test
    void every_route_is_documented_and_every_documented_route_is_there() {
        var documented = new TreeSet<String>();
        for (var operation : CONTRACT.operations()) {
            if (!operation.path().startsWith("/in/")) {
                documented.add(operation.route());
            }
        }

        try (var sluice = RunningSluice.start(dataDir)) {
            assertThat(documented).containsExactlyInAnyOrderElementsOf(sluice.routes());
        }
    }

    @Test
    void open_routes_are_the_operations_without_security() {
        var documented = new TreeSet<String>();
        for (var operation : CONTRACT.operations()) {
            var security = operation.json().path("security");
            if (!operation.path().startsWith("/in/") && security.isArray() && security.isEmpty()) {
                documented.add(operation.route());
            }
        }

        try (var sluice = RunningSluice.start(dataDir)) {
            assertThat(sluice.openRoutes()).containsExactlyInAnyOrderElementsOf(documented);
        }
    }

    static List<ApiOperation> operations() {
        return CONTRACT.operations();
    }

    @Test
    void operation_ids_are_names_that_generators_can_use_and_differ() {
        var ids = operations().stream().map(ApiOperation::id).toList();

        assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id.matches(CAMEL_CASE));
    }

    @ParameterizedTest
    @MethodSource("operations")
    void an_operation_has_a_summary_a_known_tag_and_every_error_that_it_can_answer(
            ApiOperation operation) {
        var json = operation.json();
        var responses = new TreeSet<>(json.path("responses").propertyNames());
        var security = json.path("security");
        boolean isAuthenticated =
                security.isMissingNode()
                        || !security.isEmpty()
                        || operation.path().startsWith("/api/v1/auth/");
        boolean hasBody = json.path("requestBody").path("required").asBoolean(false);
        boolean hasId = operation.path().contains("{");

        assertThat(json.path("summary").asString()).isNotBlank().doesNotEndWith(".");
        assertThat(tags()).contains(json.path("tags").path(0).asString());
        assertThat(responses).contains("400", "431", "500", "503");
        assertThat(responses.contains("401") && responses.contains("429"))
                .isEqualTo(
                        isAuthenticated
                                || (operation.path().startsWith("/in/") && !isRead(operation)));
        if (hasBody) {
            assertThat(responses).contains("408", "413", "415", "422");
        }
        if (hasId) {
            assertThat(responses).contains("404");
        }
        assertThat(responses).anyMatch(status -> status.startsWith("2"));
    }

    private static boolean isRead(ApiOperation operation) {
        return operation.method().equals("GET");
    }

    private static List<String> tags() {
        return DOCUMENT.path("tags").valueStream().map(tag -> tag.path("name").asString()).toList();
    }

    @ParameterizedTest
    @MethodSource("operations")
    void a_path_and_its_parameters_name_the_same_things(ApiOperation operation) {
        var parameters = new ArrayList<JsonNode>();
        DOCUMENT.path("paths").path(operation.path()).path("parameters").forEach(parameters::add);
        operation.json().path("parameters").forEach(parameters::add);
        var named = new TreeSet<String>();
        for (var parameter : parameters) {
            var resolved = CONTRACT.resolve(parameter);
            if (resolved.path("in").asString().equals("path")) {
                named.add("{" + resolved.path("name").asString() + "}");
            }
            assertThat(resolved.path("description").asString("")).isNotBlank();
        }

        assertThat(named)
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(operation.path().split("/", -1))
                                .filter(segment -> segment.startsWith("{"))
                                .toList());
    }

    @Test
    void every_body_has_a_named_schema_and_an_example_that_fits_it() {
        var wrong = new ArrayList<String>();
        var seen = new ArrayList<String>();
        walk(
                DOCUMENT,
                "",
                (where, node) -> {
                    if (!where.endsWith("/content") || where.contains("/schemas/")) {
                        return;
                    }
                    for (var media : node.values()) {
                        String ref = media.path("schema").path("$ref").asString("");
                        var examples = examples(media);
                        seen.add(where);
                        if (ref.isEmpty() || examples.isEmpty()) {
                            wrong.add(where + " has no named schema or no example");
                        }
                        examples.forEach(example ->
                                CONTRACT.schemaErrors(ref, example)
                                        .forEach(error -> wrong.add(where + error)));
                    }
                });

        assertThat(wrong).isEmpty();
        assertThat(seen).hasSizeGreaterThan(50);
    }

    private static List<JsonNode> examples(JsonNode media) {
        if (media.has("example")) {
            return List.of(media.path("example"));
        }
        return media.path("examples").valueStream().map(example -> example.path("value")).toList();
    }

    @Test
    void an_example_of_a_parameter_or_a_schema_fits_it() {
        var wrong = new ArrayList<String>();
        DOCUMENT.at("/components/schemas")
                .properties()
                .forEach(schema ->
                        schema.getValue()
                                .path("examples")
                                .forEach(example ->
                                        wrong.addAll(
                                                CONTRACT.schemaErrors(
                                                        "#/components/schemas/" + schema.getKey(),
                                                        example))));
        DOCUMENT.at("/components/parameters")
                .properties()
                .forEach(parameter -> {
                    var example = parameter.getValue().path("example");
                    if (!example.isMissingNode()) {
                        wrong.addAll(
                                CONTRACT.schemaErrors(
                                        "#/components/parameters/" + parameter.getKey() + "/schema",
                                        example));
                    }
                });

        assertThat(wrong).isEmpty();
    }

    @Test
    void every_reference_leads_somewhere_and_every_component_is_used() {
        var references = new TreeSet<String>();
        walk(
                DOCUMENT,
                "",
                (_, node) -> {
                    if (node.has("$ref")) {
                        references.add(node.path("$ref").asString());
                    }
                });

        assertThat(references)
                .allMatch(reference -> !DOCUMENT.at(reference.substring(1)).isMissingNode());
        var components = new TreeSet<String>();
        for (String kind : List.of("parameters", "headers", "responses", "schemas")) {
            DOCUMENT.path("components")
                    .path(kind)
                    .propertyNames()
                    .forEach(name -> components.add("#/components/" + kind + "/" + name));
        }
        assertThat(references).containsExactlyInAnyOrderElementsOf(components);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    SourceCreate   | {"name":"s","verification_config":null,"response_config":null} | true
                    SourceUpdate   | {"verification_config":null}                               | true
                    SourceUpdate   | {"response_config":{}}                                     | true
                    SourceUpdate   | {"response_config":{"status":null,"body":"b"}}             | true
                    SourceUpdate   | {"response_config":{"content_type":null}}                  | true
                    SourceUpdate   | {"response_config":{"content_type":"html"}}                | false
                    SourceUpdate   | {"response_config":{"status":99}}                          | false
                    SourceUpdate   | {"verification_config":{"provider":"unreadable"}}          | false
                    SourceCreate   | {"name":"s","status":null}                                 | false
                    TransformationInput | {"set_headers":null}                                  | false
                    CustomHeadersInput | {"X-A":"b c"}                                          | true
                    CustomHeadersInput | {"X-A":" b"}                                           | false
                    CustomHeadersInput | {"X A":"b"}                                            | false
                    FilterRuleInput | {"path":"body.a","op":"eq","value":null}                  | true
                    FilterRuleInput | {"path":"body.a","op":"eq"}                               | false
                    FilterRuleInput | {"path":"body.a","op":"exists"}                           | true
                    FilterRuleInput | {"path":"body.a","op":"exists","value":1}                 | false
                    FilterRuleInput | {"path":"body.a","op":"in","value":[1]}                   | true
                    FilterRuleInput | {"path":"body.a","op":"in","value":[]}                    | false
                    FilterRuleInput | {"path":"body.a","op":"gt","value":1}                     | true
                    FilterRuleInput | {"path":"body.a","op":"lt","value":true}                  | false
                    FilterRuleInput | {"path":"body.a\\\\.b.0","op":"exists"}                     | true
                    FilterRuleInput | {"path":"body.","op":"exists"}                            | false
                    FilterRuleInput | {"path":"body.a..b","op":"exists"}                        | false
                    FilterRuleInput | {"path":"headers.X-A","op":"exists"}                      | true
                    FilterRuleInput | {"path":"headers.é","op":"exists"}                        | false
                    FilterRuleOrGroupInput | {"path":"body.a","op":"exists"}                    | true
                    FilterRuleOrGroupInput | {"operator":"or","rules":[{"path":"body.a","op":"exists"}]} | true
                    FilterRuleOrGroupInput | {"path":"body.a","op":"exists","rules":null}       | true
                    FilterRuleOrGroupInput | {"path":"body.a","op":"gt"}                        | false
                    FilterRuleOrGroupInput | {"value":null,"operator":"or","rules":[{"path":"body.a","op":"exists"}]} | true
                    FilterRuleOrGroupInput | {"value":1,"operator":"or","rules":[{"path":"body.a","op":"exists"}]} | false
                    FilterRuleOrGroupInput | {"operator":"or"}                                  | false
                    FilterRuleOrGroupInput | {"operator":"or","path":"body.a","op":"exists"}    | false
                    FilterRuleOrGroupInput | {}                                                 | false
                    PreviewSample  | {"body":null,"body_base64":"YQ=="}                         | true
                    PreviewSample  | {"body":"a","body_base64":null}                            | true
                    PreviewSample  | {"body":"a","body_base64":"YQ=="}                          | false
                    PreviewRequest | {"connection_id":null,"destination_id":"ID","sample":{}}   | true
                    PreviewRequest | {"destination_id":"ID","event_id":"ID","sample":null}      | true
                    """)
    void a_request_fits_where_the_server_takes_it(String schema, String json, boolean fits) {
        var value =
                JsonMapper.shared()
                        .readTree(json.replace("ID", "018f3c5e-7a00-7bbb-8ccc-2d5e6f708192"));

        assertThat(CONTRACT.schemaErrors("#/components/schemas/" + schema, value).isEmpty())
                .isEqualTo(fits);
    }

    @Test
    void the_ingest_page_has_all_parameters_that_it_echoes() {
        assertThat(
                        DOCUMENT.path("paths")
                                .path("/in/{token}")
                                .path("get")
                                .path("parameters")
                                .valueStream()
                                .map(parameter -> parameter.path("name").asString()))
                .containsExactly("hub.mode", "hub.challenge", "challenge");
    }

    @Test
    void the_error_codes_are_those_of_the_code() {
        assertThat(texts("/components/schemas/ErrorCode/enum"))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(ApiErrorCode.values()).map(ApiErrorCode::code).toList());
        var neverOfAnAttempt =
                Set.of(
                        ErrorCode.DESTINATION_DELETED,
                        ErrorCode.CONNECTION_DELETED,
                        ErrorCode.EVENT_EXPIRED,
                        ErrorCode.PAYLOAD_UNREADABLE);
        assertThat(texts("/components/schemas/AttemptErrorCode/enum"))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(ErrorCode.values())
                                .filter(code -> !neverOfAnAttempt.contains(code))
                                .map(ErrorCode::text)
                                .toList());
        assertThat(texts("/components/schemas/DeliveryErrorCode/enum"))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(ErrorCode.values()).map(ErrorCode::text).toList());
    }

    private static List<String> texts(String pointer) {
        return DOCUMENT.at(pointer).valueStream().map(JsonNode::asString).toList();
    }

    /// Visits every nested object except examples.
    private static void walk(JsonNode node, String where, BiConsumer<String, JsonNode> visit) {
        if (node.isObject()) {
            visit.accept(where, node);
        }
        for (var field : node.properties()) {
            if (!Stream.of("example", "examples").toList().contains(field.getKey())) {
                walk(field.getValue(), where + "/" + field.getKey(), visit);
            }
        }
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            walk(node.get(i), where + "/" + i, visit);
        }
    }
}
