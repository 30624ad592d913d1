package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.ApiOperation;
import dev.sluice.contract.OpenApiDocument;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.OpenApiContract;
import dev.sluice.testkit.Team;
import dev.sluice.testkit.Team.Asker;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Tests the conventions of the API (`docs/reference/conventions.md`) on every operation of the
/// OpenAPI document, in the document and with the server.
///
/// An operation that breaks a convention is named here, so a new operation must keep them all.
/// [OpenApiContract] checks the required headers of every answer.
class ConventionsTest {

    private static final OpenApiDocument CONTRACT = OpenApiContract.read().document();

    /// Operations that create something without an `Idempotency-Key`: the address of a person can
    /// register once, and a mailed token changes nothing by itself.
    private static final Set<String> CREATED_WITHOUT_KEY =
            Set.of("register", "requestPasswordReset");

    /// Operations that make something and answer 200.
    private static final Set<String> MADE_WITH_200 = Set.of("sendTestEvent", "rotateSourceToken");

    /// Things that change and are no configuration: a job that runs, and what has no `GET`.
    private static final Set<String> NO_CONFIGURATION = Set.of("/api/v1/replays/{id}");

    /// Lists of counts, and the public list of plans.
    private static final Set<String> LISTS_WITHOUT_SEARCH =
            Set.of("listRefusals", "listPlans", "getSourceDeadLetterSummary");

    /// Lists of what arrives all the time, which a cursor reads to the end without gaps.
    private static final Set<String> ITEMS_WITH_CURSOR =
            Set.of("FailureGroup", "EventListItem", "DeliveryListItem", "DeadLetter");

    /// Answers that show what a stranger sent, next to what may be secret.
    private static final Set<String> NEVER_COMPRESSED =
            Set.of("getEvent", "getDelivery", "getSentRequest");

    static final List<ApiOperation> CREATE_OR_RESEND =
            operations(one ->
                    one.method().equals("POST")
                            && (MADE_WITH_200.contains(one.id())
                                    || (statuses(one).stream()
                                                    .anyMatch(Set.of("201", "202")::contains)
                                            && !CREATED_WITHOUT_KEY.contains(one.id()))));

    static final List<ApiOperation> CHANGES_OF_CONFIGURATION =
            operations(one ->
                    Set.of("PATCH", "PUT", "DELETE").contains(one.method())
                            && hasConfiguration(one.path().replaceFirst("/plan$", "")));

    static final List<ApiOperation> LISTS =
            operations(one ->
                    one.method().equals("GET")
                            && !LISTS_WITHOUT_SEARCH.contains(one.id())
                            && answerSchema(one, "200")
                                    .at("/properties/items/type")
                                    .asString("")
                                    .equals("array"));

    static final List<ApiOperation> OPTIONAL_BODIES =
            operations(one ->
                    one.json().has("requestBody")
                            && !one.json().path("requestBody").path("required").asBoolean(false));

    static final List<ApiOperation> LISTS_WITH_CURSOR =
            LISTS.stream().filter(one -> ITEMS_WITH_CURSOR.contains(itemSchema(one))).toList();

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    @AutoClose private static final Db db = sluice.db();

    private static List<ApiOperation> operations(Predicate<ApiOperation> predicate) {
        return CONTRACT.operations().stream()
                .filter(one -> !one.isIngest())
                .filter(predicate)
                .toList();
    }

    private static Set<String> statuses(ApiOperation operation) {
        return new TreeSet<>(operation.responses().propertyNames());
    }

    /// Whether a path names one thing that can be read and changed.
    private static boolean hasConfiguration(String path) {
        return path.endsWith("}")
                && !NO_CONFIGURATION.contains(path)
                && CONTRACT.operations().stream()
                        .anyMatch(one -> one.method().equals("GET") && one.path().equals(path));
    }

    private static JsonNode answer(ApiOperation operation, String status) {
        return CONTRACT.resolve(operation.responses().path(status));
    }

    private static JsonNode answerSchema(ApiOperation operation, String status) {
        return CONTRACT.resolve(
                answer(operation, status).path("content").path("application/json").path("schema"));
    }

    private static String itemSchema(ApiOperation list) {
        return answerSchema(list, "200")
                .at("/properties/items/items/$ref")
                .asString("")
                .replace(OpenApiDocument.SCHEMA_PREFIX, "");
    }

    private static List<String> parameters(ApiOperation operation) {
        return operation.parameters().stream().map(one -> one.path("name").asString()).toList();
    }

    private static List<String> headers(ApiOperation operation, String status) {
        return List.copyOf(answer(operation, status).path("headers").propertyNames());
    }

    @Test
    void the_exceptions_are_operations_and_schemas_of_the_document() {
        var ids = CONTRACT.operations().stream().map(ApiOperation::id).toList();

        assertThat(ids)
                .containsAll(CREATED_WITHOUT_KEY)
                .containsAll(MADE_WITH_200)
                .containsAll(LISTS_WITHOUT_SEARCH)
                .containsAll(NEVER_COMPRESSED);
        assertThat(CONTRACT.operations())
                .extracting(ApiOperation::path)
                .containsAll(NO_CONFIGURATION);
        assertThat(LISTS_WITH_CURSOR)
                .extracting(ConventionsTest::itemSchema)
                .containsOnly(ITEMS_WITH_CURSOR.toArray(String[]::new));
    }

    @Test
    void every_201_and_202_has_a_location() {
        var created =
                operations(one -> statuses(one).stream().anyMatch(Set.of("201", "202")::contains));

        assertThat(created)
                .isNotEmpty()
                .allSatisfy(one ->
                        Stream.of("201", "202")
                                .filter(statuses(one)::contains)
                                .forEach(status ->
                                        assertThat(
                                                        CONTRACT.resolve(
                                                                        answer(one, status)
                                                                                .path("headers")
                                                                                .path("Location"))
                                                                .path("required")
                                                                .asBoolean(false))
                                                .isTrue()));
    }

    @Test
    void what_creates_or_resends_takes_a_key_and_nothing_else_does() {
        assertThat(operations(one -> parameters(one).contains("Idempotency-Key")))
                .containsExactlyElementsOf(CREATE_OR_RESEND);
        assertThat(CREATE_OR_RESEND)
                .allSatisfy(one -> {
                    assertThat(statuses(one)).contains("409", "422");
                    assertThat(List.of("200", "201", "202"))
                            .anyMatch(
                                    status -> headers(one, status).contains("Idempotent-Replayed"));
                });
    }

    @ParameterizedTest
    @FieldSource("CREATE_OR_RESEND")
    void a_key_that_cannot_be_is_refused_with_its_name(ApiOperation operation) {
        var answer = send(operation, "", "Idempotency-Key", "k".repeat(256));

        assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
        assertThat(answer.errorMessage()).contains("Idempotency-Key");
    }

    @ParameterizedTest
    @FieldSource("OPTIONAL_BODIES")
    void null_counts_as_no_body_where_a_body_is_optional(ApiOperation operation) {
        for (String body : List.of("", "null")) {
            var answer = send(operation, "", "Accept", "*/*", BodyPublishers.ofString(body));

            assertThat(answer.status()).as(answer.toString()).isIn(200, 202);
        }
    }

    @Test
    void what_changes_configuration_takes_if_match_and_nothing_else_does() {
        assertThat(operations(one -> parameters(one).contains("If-Match")))
                .containsExactlyElementsOf(CHANGES_OF_CONFIGURATION);
        assertThat(CHANGES_OF_CONFIGURATION)
                .allSatisfy(one -> {
                    assertThat(statuses(one)).contains("412");
                    assertThat(
                                    statuses(one).contains("204")
                                            || headers(one, "200").contains("ETag"))
                            .isTrue();
                });
        assertThat(
                        operations(one ->
                                one.method().equals("GET")
                                        && hasConfiguration(one.path())
                                        && CHANGES_OF_CONFIGURATION.stream()
                                                .anyMatch(change ->
                                                        change.path().equals(one.path()))))
                .hasSizeGreaterThan(4)
                .allSatisfy(one -> assertThat(headers(one, "200")).contains("ETag"));
    }

    @ParameterizedTest
    @FieldSource("CHANGES_OF_CONFIGURATION")
    void a_change_with_another_tag_is_412(ApiOperation operation) {
        var answer = send(operation, "", "If-Match", "\"another\"");

        assertThat(answer.status()).as(answer.toString()).isEqualTo(412);
        assertThat(answer.errorCode()).isEqualTo("precondition_failed");
    }

    @Test
    void every_list_has_a_search() {
        assertThat(LISTS).allSatisfy(one -> assertThat(parameters(one)).contains("q"));
    }

    @ParameterizedTest
    @FieldSource("LISTS")
    void a_search_that_is_too_long_is_refused_with_its_name(ApiOperation operation) {
        var answer = send(operation, "?q=" + "x".repeat(2_001), "Accept", "*/*");

        assertThat(answer.status()).as(answer.toString()).isEqualTo(422);
        assertThat(answer.errorMessage()).startsWith("q ");
    }

    @Test
    void every_list_of_what_arrives_has_a_cursor() {
        assertThat(operations(one -> parameters(one).contains("cursor")))
                .containsExactlyElementsOf(LISTS_WITH_CURSOR);
        assertThat(LISTS_WITH_CURSOR)
                .allSatisfy(one ->
                        assertThat(answerSchema(one, "200").path("properties").propertyNames())
                                .contains("next_cursor"));
    }

    @ParameterizedTest
    @FieldSource("LISTS_WITH_CURSOR")
    void a_cursor_that_nobody_gave_is_refused_with_its_name(ApiOperation operation) {
        var answer = send(operation, "?cursor=made-up", "Accept", "*/*");

        assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
        assertThat(answer.errorMessage()).startsWith("cursor ");
    }

    @Test
    void every_read_that_shows_no_stranger_beside_a_secret_can_be_compressed() {
        var reads =
                operations(one ->
                        one.method().equals("GET")
                                && one.path().startsWith("/api/v1/")
                                && !one.isStream()
                                && !headers(one, "200").contains("ETag"));

        assertThat(reads)
                .allSatisfy(one ->
                        assertThat(
                                        headers(one, "200")
                                                .containsAll(List.of("Vary", "Content-Encoding")))
                                .isNotEqualTo(NEVER_COMPRESSED.contains(one.id())));
    }

    /// Sends a request that is right but for the query or the header.
    private static ApiResponse send(
            ApiOperation operation, String query, String header, String value) {
        return send(operation, query, header, value, body(operation));
    }

    private static ApiResponse send(
            ApiOperation operation, String query, String header, String value, BodyPublisher body) {
        var team = Team.create(db, sluice.api());
        String path = team.path(operation, Asker.OWNER);
        return team.send(
                team.request(Asker.OWNER, path + query)
                        .header("Content-Type", "application/json")
                        .header(header, value)
                        .method(operation.method(), body));
    }

    private static BodyPublisher body(ApiOperation operation) {
        var media = operation.json().path("requestBody").path("content").path("application/json");
        return Stream.concat(operation.examples().stream(), Stream.of(media.path("example")))
                .filter(example -> !example.isMissingNode())
                .findFirst()
                .map(example -> BodyPublishers.ofString(example.toString()))
                .orElseGet(BodyPublishers::noBody);
    }
}
