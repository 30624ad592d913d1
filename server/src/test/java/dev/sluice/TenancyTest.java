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
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Tests that no operation of the OpenAPI document shows or changes anything of another workspace.
///
/// The test calls each operation once for each id that it takes, in its path, body, query or
/// headers. That id belongs to something that exists in another workspace; all other ids are the
/// caller's own.
class TenancyTest {

    private static final OpenApiDocument CONTRACT = OpenApiContract.read().document();

    /// Loops of the server write these rows by themselves.
    private static final List<String> BACKGROUND_TABLES =
            List.of(
                    "alert_incident",
                    "alert_message",
                    "alert_use",
                    "lane",
                    "open_stream",
                    "retention_notice");

    /// A loop clears the first column, of an alert channel; the second counts such writes too.
    private static final String BACKGROUND_COLUMNS = "{begins_anew,written_bytes}";

    /// Nobody is asked to confirm a mailbox, which would change channels in the background.
    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_ALERT_MAIL_DOMAINS", "example.com"));

    @AutoClose private static final Db db = sluice.db();
    private static final Team ours = Team.create(db, sluice.api());
    private static final Team theirs = Team.create(db, sluice.api());
    private static final String DUMP = dumpQuery();

    /// Where an operation takes an id.
    private enum IdPlace {
        PATH,
        BODY,
        QUERY,
        HEADER
    }

    /// A place where an operation takes an id.
    ///
    /// @param name the name of the parameter or field
    record IdField(ApiOperation operation, IdPlace place, String name) {

        @Override
        public String toString() {
            return operation.route() + ": " + name;
        }
    }

    static Stream<IdField> idFields() {
        return CONTRACT.operations().stream()
                .filter(operation -> !operation.isIngest()) // an ingest URL is open to anybody
                .flatMap(operation ->
                        Stream.of(
                                        pathIds(operation),
                                        parameterIds(operation, "query", IdPlace.QUERY),
                                        parameterIds(operation, "header", IdPlace.HEADER),
                                        bodyIds(operation))
                                .flatMap(ids -> ids));
    }

    private static Stream<IdField> pathIds(ApiOperation operation) {
        return Arrays.stream(operation.path().split("/", -1))
                .filter(segment -> segment.startsWith("{") && !segment.equals("{number}"))
                .map(segment -> new IdField(operation, IdPlace.PATH, segment));
    }

    private static Stream<IdField> parameterIds(ApiOperation operation, String in, IdPlace place) {
        return operation.parameters().stream()
                .filter(parameter -> parameter.path("in").asString().equals(in))
                .filter(parameter -> isId(parameter.path("name").asString(), parameter))
                .map(parameter -> new IdField(operation, place, parameter.path("name").asString()));
    }

    private static Stream<IdField> bodyIds(ApiOperation operation) {
        if (operation.bodySchema().isEmpty()) {
            return Stream.empty();
        }
        var schema = CONTRACT.root().at(operation.bodySchema().substring(1));
        return schema.path("properties").properties().stream()
                .filter(field -> isId(field.getKey(), field.getValue()))
                .map(field -> new IdField(operation, IdPlace.BODY, field.getKey()));
    }

    private static boolean isId(String name, JsonNode schema) {
        return name.matches(".*_ids?")
                || schema.toString().contains("\"#/components/schemas/Id\"")
                || schema.toString().contains("\"format\":\"uuid\"");
    }

    @Test
    void ids_are_found_in_paths_bodies_queries_and_headers() {
        assertThat(idFields().map(IdField::toString))
                .contains(
                        "DELETE /api/v1/api-keys/{id}: X-Sluice-Workspace",
                        "GET /api/v1/events: source_id",
                        "PATCH /api/v1/workspaces/{id}/members/{user_id}: {user_id}",
                        "POST /api/v1/connections/preview: event_id",
                        "POST /api/v1/events/{id}/resend: connection_ids",
                        "POST /api/v1/workspaces/{id}/transfer: user_id");
    }

    @ParameterizedTest
    @MethodSource("idFields")
    void an_id_of_another_workspace_shows_and_changes_nothing(IdField field) {
        String foreign =
                field.place() == IdPlace.PATH
                        ? theirs.idFor(field.operation(), field.name(), Asker.OWNER)
                        : theirs.idForField(field.name());
        var before = dump();
        for (var asker : List.of(Asker.OWNER, Asker.KEY)) {
            var answer = send(field, asker, foreign);

            assertNothingShown(field, asker, foreign, answer);
            assertThat(dump()).as("rows after " + field + " by " + asker).isEqualTo(before);
        }
    }

    private static void assertNothingShown(
            IdField field, Asker asker, String foreign, ApiResponse answer) {
        String description = field + " by " + asker + ": " + answer;
        if (asker == Asker.KEY
                && isSessionOnly(field.operation())
                && field.place() != IdPlace.HEADER) {
            assertThat(answer.status()).as(description).isEqualTo(403);
        } else if (field.place() != IdPlace.QUERY) {
            assertThat(answer.status()).as(description).isEqualTo(404);
            assertThat(answer.body())
                    .as("the answer to an id that nothing has")
                    .isEqualTo(send(field, asker, UUID.randomUUID().toString()).body());
            if (field.place() == IdPlace.BODY) {
                assertThat(answer.json().at("/error/details/0/field").asString())
                        .as(description)
                        .isIn(field.name(), field.name() + ".0");
            }
        } else if (answer.status() != 404) {
            assertThat(answer.status()).as(description).isEqualTo(200);
            assertThat(answer.json().path("items").size()).as(description).isZero();
            assertThat(answer.json().path("total").asInt(0)).as(description).isZero();
            assertThat(counts(answer.json()))
                    .as(description)
                    .isEqualTo(counts(send(field, asker, UUID.randomUUID().toString()).json()));
            if (!answer.json().has("items")) {
                assertThat(answer.json().path("totals").size()).as(description).isPositive();
                assertThat(counts(answer.json().path("totals")))
                        .as(description)
                        .allMatch(number -> number == 0);
            }
        }
        assertThat(answer.body()).as(description).doesNotContain(foreign);
    }

    @Test
    void a_cursor_of_another_workspace_shows_nothing_of_it() {
        String older = theirs.idForField("event_id");
        String newer = theirs.idForField("event_id");
        var page = theirs.send(theirs.request(Asker.OWNER, "/api/v1/events?limit=1"));
        String cursor = page.text("next_cursor");

        for (var asker : List.of(Asker.OWNER, Asker.KEY)) {
            for (String list : List.of("/api/v1/events", "/api/v1/deliveries", "/api/v1/dlq")) {
                var answer = ours.send(ours.request(asker, list + "?cursor=" + cursor));

                assertThat(answer.status()).as(answer.toString()).isIn(200, 400, 422);
                assertThat(answer.body()).doesNotContain(older, newer);
            }
        }
    }

    /// Returns all whole numbers of an answer, in order.
    private static List<Long> counts(JsonNode json) {
        return json.isIntegralNumber()
                ? List.of(json.asLong())
                : json.valueStream().flatMap(value -> counts(value).stream()).toList();
    }

    private static boolean isSessionOnly(ApiOperation operation) {
        var security = operation.json().path("security");
        return security.size() == 1 && security.path(0).has("session");
    }

    private static ApiResponse send(IdField field, Asker asker, String id) {
        var operation = field.operation();
        String path =
                Arrays.stream(operation.path().split("/", -1))
                        .map(segment -> pathSegment(field, segment, asker, id))
                        .collect(Collectors.joining("/"));
        String query = field.place() == IdPlace.QUERY ? "?" + field.name() + "=" + id : "";
        var body =
                body(field, id)
                        .map(json -> HttpRequest.BodyPublishers.ofString(json.toString()))
                        .orElseGet(HttpRequest.BodyPublishers::noBody);
        var request =
                ours.request(asker, path + query)
                        .header("Content-Type", "application/json")
                        .method(operation.method(), body);
        return ours.send(
                field.place() == IdPlace.HEADER ? request.header(field.name(), id) : request);
    }

    private static String pathSegment(IdField field, String segment, Asker asker, String id) {
        if (segment.equals(field.name())) {
            return id;
        }
        return segment.startsWith("{") ? ours.idFor(field.operation(), segment, asker) : segment;
    }

    /// Returns an example of the operation's body with this id and otherwise the caller's own ids.
    private static Optional<JsonNode> body(IdField field, String id) {
        if (field.operation().bodySchema().isEmpty()) {
            return Optional.empty();
        }
        var example =
                examples(field.operation()).stream()
                        .filter(one -> field.place() != IdPlace.BODY || one.has(field.name()))
                        .findFirst()
                        .orElseThrow(() ->
                                new AssertionError(
                                        "No example in openapi.json shows "
                                                + field
                                                + ". Add one, so that it can be sent."))
                        .deepCopy();
        for (String name : new TreeSet<>(example.propertyNames())) {
            boolean isForeign = field.place() == IdPlace.BODY && name.equals(field.name());
            if (isForeign || isIdOf(field.operation(), name)) {
                set((ObjectNode) example, name, isForeign ? id : ours.idForField(name));
            }
        }
        return Optional.of(example);
    }

    private static List<JsonNode> examples(ApiOperation operation) {
        var media = operation.json().path("requestBody").path("content").path("application/json");
        var examples = new ArrayList<>(operation.examples());
        if (media.has("example")) {
            examples.add(media.path("example"));
        }
        return examples;
    }

    private static boolean isIdOf(ApiOperation operation, String name) {
        return bodyIds(operation).anyMatch(field -> field.name().equals(name));
    }

    private static void set(ObjectNode body, String name, String id) {
        if (body.path(name).isArray()) {
            body.putArray(name).add(id);
        } else {
            body.put(name, id);
        }
    }

    /// Returns SQL for every row of the other workspace, as sorted text.
    private static String dumpQuery() {
        var tables =
                db.call(tx ->
                        tx.query(
                                """
                                select table_name
                                  from information_schema.columns
                                 where table_schema = current_schema()
                                   and column_name = 'workspace_id'
                                """,
                                row -> row.text("table_name")));
        var parts = new ArrayList<String>();
        parts.add("select to_jsonb(t)::text as line from workspace t where id = '%1$s'");
        for (String table : new TreeSet<>(tables)) {
            if (!BACKGROUND_TABLES.contains(table)) {
                parts.add(
                        "select '"
                                + table
                                + "' || (to_jsonb(t) - '"
                                + BACKGROUND_COLUMNS
                                + "'::text[])::text from "
                                + table
                                + " t where workspace_id = '%1$s'");
            }
        }
        for (String table :
                List.of(
                        "event",
                        "delivery",
                        "delivery_work",
                        "attempt",
                        "dismissal",
                        "replaced_source")) {
            parts.add(
                    "select to_jsonb(t)::text from "
                            + table
                            + " t where source_id in (select id from source where workspace_id ="
                            + " '%1$s')");
        }
        for (String table : List.of("replaced_destination", "destination_revision")) {
            parts.add(
                    "select to_jsonb(t)::text from "
                            + table
                            + " t where destination_id in (select id from destination where"
                            + " workspace_id = '%1$s')");
        }
        parts.add(
                "select to_jsonb(t)::text from replaced_connection t where connection_id in (select"
                        + " connection.id from connection join source on source_id = source.id"
                        + " where source.workspace_id = '%1$s')");
        parts.add(
                "select to_jsonb(t)::text from account t join member on account_id = t.id where"
                        + " workspace_id = '%1$s'");
        return String.join(" union all ", parts) + " order by 1";
    }

    private static List<String> dump() {
        var lines =
                db.call(tx ->
                        tx.query(DUMP.formatted(theirs.workspace()), row -> row.text("line")));
        assertThat(lines).isNotEmpty();
        return lines;
    }
}
