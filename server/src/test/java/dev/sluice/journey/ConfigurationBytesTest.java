package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.account.plan.ConfigurationUse;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.ManualClock;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Tests a plan's limit on the bytes of configuration, over HTTP and on two nodes.
class ConfigurationBytesTest {

    private static final long LIMIT = 60_000;

    private static final String PLANS_JSON =
            """
            {"items": [
              {"name": "small", "limits": {"configuration_bytes": 60000, "retention_days": 30}},
              {"name": "usual", "limits": {"retention_days": 30}},
              {"name": "open",  "limits": {"configuration_bytes": null, "retention_days": 30}}
            ]}
            """;

    @AutoClose private static final RunningSluice sluice = start();

    private static final RunningSluice second = sluice.second();

    private final ApiClient api = WorkspaceFixture.create(sluice, "small");

    private static RunningSluice start() {
        return RunningSluice.startWithPlans(PLANS_JSON, new ManualClock(Instant.now()), Map.of());
    }

    private static String text(int length) {
        return "x".repeat(length);
    }

    private static String headers(int bytes) {
        return IntStream.range(0, bytes / 4_000)
                .mapToObj(i -> "'X-H%d': '%s'".formatted(i, text(3_990)))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String filter(int rules) {
        return IntStream.range(0, rules)
                .mapToObj(i ->
                        "{'path': 'body.p%d', 'op': 'eq', 'value': '%s'}".formatted(i, text(4_000)))
                .collect(Collectors.joining(",", "{'operator': 'and', 'rules': [", "]}"));
    }

    private static String response(int bytes) {
        return "{'status': 200, 'content_type': 'text', 'body': '" + text(bytes) + "'}";
    }

    private static long used(ApiClient api) {
        return api.get("/api/v1/usage").json().path("configuration_bytes").path("used").asLong();
    }

    private static WorkspaceId workspace(ApiClient api) {
        return new WorkspaceId(
                UUID.fromString(
                        api.get("/api/v1/me").json().path("workspace").path("id").asString()));
    }

    private static ApiResponse destination(ApiClient api, int headerBytes) {
        return api.post(
                "/api/v1/destinations",
                "{'name': 'd', 'url': 'https://%s.example/', 'custom_headers': %s}"
                        .formatted(UUID.randomUUID(), headers(headerBytes)));
    }

    private static void assertNoRoom(ApiResponse refused) {
        assertThat(refused.status()).as(refused.body()).isEqualTo(402);
        assertThat(refused.errorCode()).isEqualTo("plan_limit_reached");
        assertThat(refused.errorMessage())
                .contains("60000 bytes of configuration (configuration_bytes)");
    }

    @Test
    void every_kind_of_configuration_counts_and_is_refused_beyond_the_plans_bytes() {
        var source = api.source("s");
        var destination = destination(api, 0);
        var other = destination(api, 0);
        var connection =
                api.post(
                        "/api/v1/connections",
                        "{'source_id': '%s', 'destination_id': '%s'}"
                                .formatted(source.text("id"), destination.text("id")));
        assertThat(connection.status()).isEqualTo(201);
        var alert =
                api.post(
                        "/api/v1/alert-configs",
                        "{'channel': 'webhook', 'config': {'url': 'https://a.example/'}}");
        assertThat(alert.status()).as(alert.body()).isEqualTo(201);
        var filler =
                api.post(
                        "/api/v1/sources",
                        "{'name': 'filler', 'response_config': " + response(58_000) + "}");
        assertThat(filler.status()).as(filler.body()).isEqualTo(201);
        long before = used(api);
        assertThat(before).isBetween(58_000L, LIMIT);

        var refused = new LinkedHashMap<String, Supplier<ApiResponse>>();
        refused.put(
                "a source",
                () ->
                        api.post(
                                "/api/v1/sources",
                                "{'name': 't', 'response_config': " + response(2_000) + "}"));
        refused.put(
                "a source's response",
                () ->
                        api.patch(
                                "/api/v1/sources/" + source.text("id"),
                                "{'response_config': " + response(2_000) + "}"));
        refused.put(
                "a larger response of a source",
                () ->
                        api.patch(
                                "/api/v1/sources/" + filler.text("id"),
                                "{'response_config': " + response(61_000) + "}"));
        refused.put("a destination", () -> destination(api, 4_000));
        refused.put(
                "a destination's headers",
                () ->
                        api.patch(
                                "/api/v1/destinations/" + destination.text("id"),
                                "{'custom_headers': " + headers(4_000) + "}"));
        refused.put(
                "a destination's URL",
                () ->
                        api.patch(
                                "/api/v1/destinations/" + destination.text("id"),
                                "{'url': 'https://a.example/" + text(1_900) + "'}"));
        refused.put(
                "a connection",
                () ->
                        api.post(
                                "/api/v1/connections",
                                "{'source_id': '%s', 'destination_id': '%s', 'filter_rules': %s}"
                                        .formatted(
                                                source.text("id"), other.text("id"), filter(1))));
        refused.put(
                "a connection's filter",
                () ->
                        api.patch(
                                "/api/v1/connections/" + connection.text("id"),
                                "{'filter_rules': " + filter(1) + "}"));
        refused.put(
                "a connection's transformation",
                () ->
                        api.patch(
                                "/api/v1/connections/" + connection.text("id"),
                                "{'transformation': {'merge_body_fields': {'a': '"
                                        + text(3_000)
                                        + "'}}}"));
        refused.put(
                "an alert channel",
                () ->
                        api.post(
                                "/api/v1/alert-configs",
                                "{'channel': 'webhook', 'config': {'url': 'https://a.example/"
                                        + text(1_900)
                                        + "'}}"));
        refused.put(
                "an alert channel's address",
                () ->
                        api.patch(
                                "/api/v1/alert-configs/" + alert.text("id"),
                                "{'config': {'url': 'https://a.example/" + text(1_900) + "'}}"));

        refused.forEach((what, request) -> assertNoRoom(request.get()));
        assertThat(used(api)).isEqualTo(before);
    }

    @Test
    void a_replaced_value_counts_by_its_new_size_and_what_is_deleted_counts_no_more() {
        long empty = used(api);
        var source = api.source("s");
        var destination = destination(api, 28_000);
        long full = used(api);
        for (int i = 0; i < 5; i++) {
            var changed =
                    api.patch(
                            "/api/v1/destinations/" + destination.text("id"),
                            "{'name': 'n" + i + "', 'custom_headers': " + headers(28_000) + "}");
            assertThat(changed.status()).as(changed.body()).isEqualTo(200);
        }
        assertThat(used(api)).isBetween(full, full + 10);
        var connection =
                api.post(
                        "/api/v1/connections",
                        "{'source_id': '%s', 'destination_id': '%s', 'filter_rules': %s}"
                                .formatted(source.text("id"), destination.text("id"), filter(4)));
        assertThat(connection.status()).isEqualTo(201);

        api.delete("/api/v1/destinations/" + destination.text("id"));

        assertThat(used(api)).as("with its connection").isLessThan(empty + 500);
        assertThat(destination(api, 28_000).status()).isEqualTo(201);
        api.delete("/api/v1/sources/" + source.text("id"));
        assertThat(used(api)).as("a source in the trash counts").isGreaterThan(full - 500);
    }

    @Test
    void changes_at_once_on_two_nodes_do_not_exceed_the_limit_together() throws Exception {
        var elsewhere = api.onPort(second.port());
        var requests = new ArrayList<Callable<Integer>>();
        for (int i = 0; i < 12; i++) {
            var on = i % 2 == 0 ? api : elsewhere;
            requests.add(() -> destination(on, 12_000).status());
        }
        var statuses = new ArrayList<Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var status : threads.invokeAll(requests)) {
                statuses.add(status.get());
            }
        }

        assertThat(statuses).containsOnly(201, 402).filteredOn(s -> s == 201).hasSize(4);
        assertThat(used(api)).isLessThanOrEqualTo(LIMIT);
    }

    @Test
    void what_exceeds_a_smaller_plan_stays_and_can_be_made_smaller_rotated_and_deleted() {
        var usual = WorkspaceFixture.create(sluice, "usual");
        var source = usual.source("s");
        var first = destination(usual, 32_000);
        var rest = List.of(destination(usual, 32_000), destination(usual, 32_000));
        assertThat(rest).allMatch(each -> each.status() == 201);
        try (var db = sluice.db()) {
            db.run(tx ->
                    tx.update(
                            "update workspace set plan = 'small' where id = ?",
                            workspace(usual).value()));
        }

        assertNoRoom(destination(usual, 4_000));
        assertThat(
                        usual.patch(
                                        "/api/v1/destinations/" + first.text("id"),
                                        "{'custom_headers': " + headers(28_000) + "}")
                                .status())
                .isEqualTo(200);
        assertThat(
                        usual.post("/api/v1/sources/" + source.text("id") + "/rotate-token", "{}")
                                .status())
                .isEqualTo(200);
        assertThat(usual.delete("/api/v1/sources/" + source.text("id")).status()).isEqualTo(204);
        for (var each : rest) {
            assertThat(usual.delete("/api/v1/destinations/" + each.text("id")).status())
                    .isEqualTo(204);
        }
        assertThat(destination(usual, 4_000).status()).isEqualTo(201);
    }

    @Test
    void null_is_unlimited_and_a_plan_that_does_not_say_has_four_mebibytes() {
        var open = WorkspaceFixture.create(sluice, "open");
        for (int i = 0; i < 4; i++) {
            assertThat(destination(open, 32_000).status()).isEqualTo(201);
        }

        var limits = new LinkedHashMap<String, String>();
        open.get("/api/v1/plans")
                .json()
                .path("items")
                .forEach(plan ->
                        limits.put(
                                plan.path("name").asString(),
                                plan.path("limits").path("configuration_bytes").toString()));
        assertThat(limits).isEqualTo(Map.of("small", "60000", "usual", "4194304", "open", "null"));
    }

    @Test
    void headers_of_one_resource_take_32_kib_together() {
        assertThat(destination(api, 32_000).status()).isEqualTo(201);
        var refused = destination(api, 36_000);
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.body()).contains("custom_headers must have at most 32768 bytes");

        var rules =
                IntStream.range(0, 9)
                        .mapToObj(i -> "{'name': 'X-%d', 'value': '%s'}".formatted(i, text(4_000)))
                        .collect(Collectors.joining(",", "[", "]"));
        var connection =
                api.post(
                        "/api/v1/connections",
                        "{'source_id': '%s', 'destination_id': '%s', 'transformation':"
                                        .formatted(UUID.randomUUID(), UUID.randomUUID())
                                + " {'set_headers': "
                                + rules
                                + "}}");
        assertThat(connection.status()).isEqualTo(422);
        assertThat(connection.body()).contains("set_headers must have at most 32768 bytes");
    }

    @Test
    void too_much_that_is_deleted_and_still_kept_stops_additions_and_nothing_else() {
        var destination = destination(api, 0);
        try (var db = sluice.db()) {
            db.run(tx ->
                    tx.update(
                            "update configuration_use set deleted_bytes = 17 * 1024 * 1024 where"
                                    + " workspace_id = ?",
                            workspace(api).value()));
        }

        var refused = destination(api, 0);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).contains("3600");
        assertThat(
                        api.patch("/api/v1/destinations/" + destination.text("id"), "{'name': 'e'}")
                                .status())
                .isEqualTo(200);
        assertThat(api.delete("/api/v1/destinations/" + destination.text("id")).status())
                .isEqualTo(204);
    }

    /// Changes a destination's headers, a connection's transformation and a source's name again and
    /// again, each of which keeps the earlier settings.
    @Test
    void settings_that_are_changed_again_and_again_leave_a_bounded_history() {
        var open = WorkspaceFixture.create(sluice, "open");
        var source = open.source("s");
        var unused = destination(open, 0);
        var destinations = new ArrayList<ApiResponse>();
        for (int i = 0; i < 20; i++) {
            var destination = destination(open, 0);
            destinations.add(destination);
            open.connect(source, destination);
        }
        for (int i = 0; i < 25; i++) {
            for (var each : destinations) {
                change(open, each, i);
            }
            change(open, unused, i);
            open.patch("/api/v1/sources/" + source.text("id"), "{'name': 'n" + i + "'}");
        }

        try (var db = sluice.db()) {
            var use = db.call(tx -> ConfigurationUse.of(tx, workspace(open)));
            assertThat(use.replacedBytes()).isLessThanOrEqualTo(8L * 1024 * 1024);
            assertThat(count(db, "replaced_destination", unused.text("id")))
                    .as("nothing can have been sent there")
                    .isZero();
            assertThat(count(db, "replaced_destination", destinations.getLast().text("id")))
                    .isBetween(1L, 20L);
            assertThat(count(db, "replaced_source", source.text("id"))).isBetween(1L, 20L);
            boolean isExact =
                    db.call(tx ->
                            tx.single(
                                    """
                                    select bytes = (select sum(greatest(octet_length(record_send(d)) - 200, 64))
                                                      from destination as d
                                                     where workspace_id = used.workspace_id)
                                                 + (select sum(greatest(octet_length(record_send(c)) - 200, 64))
                                                      from connection as c
                                                     where workspace_id = used.workspace_id)
                                                 + (select sum(greatest(octet_length(record_send(s)) - 200, 64))
                                                      from source as s
                                                     where workspace_id = used.workspace_id) as is_exact
                                      from configuration_use as used
                                     where workspace_id = ?
                                    """,
                                    row -> row.bool("is_exact"),
                                    workspace(open).value()));
            assertThat(isExact).as("the sum is that of the rows").isTrue();
        }
    }

    private static void change(ApiClient api, ApiResponse destination, int round) {
        var changed =
                api.patch(
                        "/api/v1/destinations/" + destination.text("id"),
                        "{'name': 'n%d', 'custom_headers': {'X-N': '%d', 'X-L': '%s', 'X-M': '%s', 'X-O': '%s', 'X-P': '%s', 'X-Q': '%s', 'X-R': '%s'}}"
                                .formatted(
                                        round,
                                        round,
                                        text(4_000),
                                        text(4_000),
                                        text(4_000),
                                        text(4_000),
                                        text(4_000),
                                        text(4_000)));
        assertThat(changed.status()).as(changed.body()).isEqualTo(200);
    }

    private static long count(Db db, String table, String id) {
        return db.call(tx ->
                tx.single(
                        "select count(*) as n from %s where %s_id = ?"
                                .formatted(table, table.substring("replaced_".length())),
                        row -> row.number("n"),
                        UUID.fromString(id)));
    }
}
