package dev.sluice.features.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.ClientAddress;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.AnswerMemory;
import dev.sluice.platform.http.HttpServer;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Activity;
import dev.sluice.platform.loop.Wake;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.platform.share.ComputePool;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.FinishedEvents;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/// Tests a bulk resend request whose time for counting is zero: it counts one batch of 2 000 events
/// and no more.
class BulkResendTimeoutTest {

    @AutoClose private final RunningSluice sluice = RunningSluice.start();
    @AutoClose private final Db db = sluice.db();
    private HttpServer hurried;
    private ApiClient.ApiResponse source;
    private ApiClient.ApiResponse connection;

    @BeforeEach
    void start() throws IOException {
        source = sluice.api().source("s");
        var destination =
                sluice.api().destination("http://127.0.0.1:8000/", ", 'status': 'paused'");
        connection = sluice.api().connect(source, destination);
        var clock = InstantSource.system();
        var ids = new Uuid7(clock, new Random());
        var plans = PlanCatalog.builtIn();
        var router = new Router();
        var authenticator =
                new Authenticator(
                        db,
                        plans,
                        "http://localhost",
                        new ClientAddress(List.of()),
                        ids,
                        new Activity(),
                        clock);
        var compute = new ComputePool(1);
        var budgets = authenticator.budgets(db, compute);
        new BulkResendRoutes(
                        new ApiContext(db, authenticator, budgets, compute, ids, clock),
                        plans,
                        new IdempotencyKeys(
                                db,
                                new Sealer(
                                        new byte[Sealer.MASTER_KEY_BYTES], new SecretGenerator()),
                                clock),
                        new Wake(),
                        new Wake(),
                        Duration.ZERO)
                .addTo(new Api(router, authenticator, budgets));
        hurried =
                HttpServer.start(
                        new HttpServer.ListenerSettings("127.0.0.1", 0, Duration.ofSeconds(1)),
                        router,
                        AnswerMemory.ofHeap(),
                        ids);
    }

    @AfterEach
    void stop() {
        hurried.close();
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
        FinishedEvents.insert(
                db,
                new SourceId(UUID.fromString(source.text("id"))),
                new ConnectionId(UUID.fromString(connection.text("id"))),
                DeliveryStatus.EXHAUSTED,
                Instant.now(),
                count);
    }

    private ApiClient.ApiResponse bulk(String more) {
        return sluice.api()
                .onPort(hurried.port())
                .post(
                        "/api/v1/deliveries/resend-bulk",
                        "{'connection_id': '" + connection.text("id") + "'" + more + "}");
    }
}
