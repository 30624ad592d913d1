package dev.sluice.features.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.Json;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.FinishedEvents;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/// Tests that a request continues where its cursor says, and that a cursor fits only its own
/// request.
class DismissalCursorTest {

    /// A cursor whose time is the smallest number.
    private static final String TOO_EARLY = "A".repeat(42) + "C" + "A".repeat(21);

    @AutoClose private final RunningSluice sluice = RunningSluice.start();
    private final ApiClient api = sluice.api();

    /// Makes sources with two dead letters each, ordered by id.
    private List<SourceId> failingSources(int count) {
        var destination = api.destination("https://example.com/hook", ", 'status': 'paused'");
        new PartitionStore(sluice.db()).makeAhead(Instant.now().minus(Duration.ofDays(1)));
        return Stream.generate(() -> api.source("s"))
                .limit(count)
                .map(source -> {
                    var id = new SourceId(UUID.fromString(source.text("id")));
                    FinishedEvents.insert(
                            sluice.db(),
                            id,
                            new ConnectionId(
                                    UUID.fromString(api.connect(source, destination).text("id"))),
                            DeliveryStatus.FAILED,
                            Instant.now().minusSeconds(60),
                            2);
                    return id;
                })
                .sorted(Comparator.comparing(SourceId::value, Uuid7.UNSIGNED_ORDER))
                .toList();
    }

    private String cursor(SourceId source, String what, String filter) {
        return cursor(workspace(), source, what, filter, Instant.now());
    }

    private UUID workspace() {
        return sluice.db().call(tx -> tx.single("select id from workspace", row -> row.uuid("id")));
    }

    private static String cursor(
            UUID workspace, SourceId source, String what, String filter, Instant asOf) {
        var input = Json.fieldReader(filter.replace('\'', '"').getBytes(UTF_8));
        var criteria = DeadLetterCriteria.read(input, what.equals("undismissed"));
        return new DismissalCursor(source, IdRange.ALL.low(), asOf.truncatedTo(ChronoUnit.MICROS))
                .text(what + " " + workspace + " " + criteria);
    }

    private ApiResponse post(String action, String filter, String cursor) {
        String comma = filter.equals("{}") ? "" : ",";
        return api.post(
                "/api/v1/dlq/" + action, filter.replace("}", comma + "'cursor':'" + cursor + "'}"));
    }

    @Test
    void what_is_before_a_cursor_is_passed_over() {
        var sources = failingSources(3);

        var dismissed = post("dismiss", "{}", cursor(sources.get(1), "dismissed", "{}"));
        var undismissed = post("undismiss", "{}", cursor(sources.get(2), "undismissed", "{}"));

        assertThat(dismissed.body())
                .isEqualTo("{\"dismissed\":4,\"is_complete\":true,\"next_cursor\":null}");
        assertThat(undismissed.body())
                .isEqualTo("{\"undismissed\":2,\"is_complete\":true,\"next_cursor\":null}");
    }

    @Test
    void what_ended_after_the_first_request_began_is_left_alone() {
        var source = failingSources(1).getFirst();
        var begun = Instant.now().minusSeconds(120);

        var dismissed =
                post("dismiss", "{}", cursor(workspace(), source, "dismissed", "{}", begun));

        assertThat(dismissed.body())
                .isEqualTo("{\"dismissed\":0,\"is_complete\":true,\"next_cursor\":null}");
    }

    @Test
    void a_cursor_fits_only_the_request_that_returned_it() {
        var source = failingSources(1).getFirst();
        String filter = "{'status':['failed','exhausted'],'response_status':503}";
        String cursor = cursor(source, "dismissed", filter);

        assertThat(post("dismiss", filter, cursor).status()).isEqualTo(200);
        var reordered = "{'response_status':503,'status':['exhausted','failed']}";
        assertThat(post("dismiss", reordered, cursor).status()).isEqualTo(200);
        assertRefused(post("dismiss", "{'response_status':500}", cursor));
        assertRefused(post("undismiss", filter, cursor));
        assertRefused(post("dismiss", filter, cursor.substring(1)));
        assertRefused(post("dismiss", filter, "AAAA"));
        assertRefused(
                post(
                        "dismiss",
                        filter,
                        cursor(Some.id(), source, "dismissed", filter, Instant.now())));
        assertRefused(post("dismiss", filter, ""));
        assertRefused(post("dismiss", filter, TOO_EARLY));
    }

    @Test
    void a_continuation_is_in_the_audit_log_only_if_it_changed_something() {
        var sources = failingSources(2);
        String rest = cursor(sources.getFirst(), "dismissed", "{}");
        post("dismiss", "{}", rest);

        post("dismiss", "{}", rest);
        assertThat(dismissalsAudited()).isEqualTo(1);

        api.post("/api/v1/dlq/dismiss", "{}");
        assertThat(dismissalsAudited()).as("a first request is always in it").isEqualTo(2);
    }

    private long dismissalsAudited() {
        return sluice.db()
                .call(tx ->
                        tx.single(
                                "select count(*) as n from audit_log where action ="
                                        + " 'dead_letters.dismissed'",
                                row -> row.number("n")));
    }

    private static void assertRefused(ApiResponse answer) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(422);
        assertThat(answer.errorMessage())
                .startsWith("cursor must be a next_cursor of this operation");
    }
}
