package dev.sluice.relay.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.account.access.Access;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.HttpServer;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.testkit.Api;
import dev.sluice.testkit.Ended;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;
import java.util.UUID;

/// A request that has no time to count: one stretch of 2 000 events, and no more.
class BulkBudgetTest {

    private RunningSluice sluice;
    private Db db;
    private HttpServer hurried;
    private Api.Answer source;
    private Api.Answer connection;

    @BeforeEach
    void start() throws IOException {
        sluice = RunningSluice.start();
        db = sluice.db();
        source = sluice.api().source("s");
        var destination =
                sluice.api().destination("http://127.0.0.1:8000/", ", 'status': 'paused'");
        connection = sluice.api().connect(source, destination);
        var clock = InstantSource.system();
        var ids = new Uuid7(clock, new Random());
        var plans = PlanCatalog.standard();
        var router = new Router();
        new BulkRoutes(db, new Access(db, plans, clock), plans, () -> {}, ids, clock, Duration.ZERO)
                .addTo(router);
        hurried =
                HttpServer.start(
                        new HttpServer.Settings("127.0.0.1", 0, Duration.ofSeconds(1)),
                        router,
                        ids);
    }

    @AfterEach
    void stop() {
        hurried.close();
        db.close();
        sluice.close();
    }

    @Test
    void what_is_not_counted_in_time_is_a_job_that_goes_to_its_end_and_is_exact_then() {
        exhausted(2_500);

        var answer = bulk("");

        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.json().path("created").asInt()).isEqualTo(2_000);
        assertThat(answer.json().path("is_exact").asBoolean(true)).isFalse();
        String path = "/api/v1/replays/" + answer.text("replay_id");
        await().atMost(Duration.ofSeconds(90))
                .until(() -> sluice.api().get(path).text("status").equals("completed"));
        var done = sluice.api().get(path).json();
        assertThat(done.path("planned").asInt()).isEqualTo(2_500);
        assertThat(done.path("is_exact").asBoolean()).isTrue();
        assertThat(done.path("created").asInt()).isEqualTo(2_500);
        assertThat(done.path("skipped").asInt(-1)).isZero();
    }

    @Test
    void a_dry_run_says_that_there_may_be_more() {
        exhausted(2_500);

        assertThat(bulk(", 'dry_run': true").body())
                .isEqualTo(
                        "{\"dry_run\":true,\"created\":0,\"would_create\":2000,\"is_exact\":false}");
    }

    @Test
    void what_was_counted_whole_is_exact_however_little_time_there_was() {
        exhausted(1_500);

        assertThat(bulk(", 'dry_run': true").body())
                .isEqualTo(
                        "{\"dry_run\":true,\"created\":0,\"would_create\":1500,\"is_exact\":true}");
        assertThat(bulk("").body()).isEqualTo("{\"created\":1500,\"is_exact\":true}");
    }

    private void exhausted(int count) {
        Ended.events(
                db,
                new SourceId(UUID.fromString(source.text("id"))),
                new ConnectionId(UUID.fromString(connection.text("id"))),
                DeliveryStatus.EXHAUSTED,
                Instant.now(),
                count);
    }

    private Api.Answer bulk(String more) {
        return sluice.api()
                .on(hurried.port())
                .post(
                        "/api/v1/deliveries/resend-bulk",
                        "{'connection_id': '" + connection.text("id") + "'" + more + "}");
    }
}
