package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ClosedPort;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

class RetryTest {

    private static final ManualClock clock = ManualClock.ofNow();

    @AutoClose private static final RunningSluice sluice = RunningSluice.start(clock);

    private static final ApiClient api = sluice.api();

    @AutoClose private final Receiver receiver = Receiver.start();

    @Test
    void a_503_is_tried_again_after_the_first_interval() {
        receiver.willAnswer(503, 200);
        var event = send("[30, 120]");

        var waiting = EventReader.deliveryAfter(1, api, event);

        assertThat(waiting.path("status").asString()).isEqualTo("pending");
        assertThat(waiting.path("attempt_count").asInt()).isEqualTo(1);
        assertThat(wait(waiting)).isBetween(Duration.ofSeconds(24), Duration.ofSeconds(36));
        assertThat(waiting.path("finished_at").isNull()).isTrue();
        assertThat(waiting.path("reason").asString())
                .isEqualTo(
                        "Retry 1 of 2 at "
                                + waiting.path("next_attempt_at").asString()
                                + ": Destination answered 503.");

        clock.advance(Duration.ofSeconds(36));

        var delivered = EventReader.delivery(api, event, "succeeded");
        assertThat(delivered.path("attempt_count").asInt()).isEqualTo(2);
        assertThat(delivered.path("attempts")).hasSize(2);
    }

    @Test
    void nothing_is_sent_before_the_interval_has_passed() {
        receiver.willAnswer(503, 200);
        var early = send("[30]");
        EventReader.deliveryAfter(1, api, early);

        clock.advance(Duration.ofSeconds(23));
        var later = send("[30]");
        EventReader.delivery(api, later, "succeeded");

        assertThat(EventReader.delivery(api, early).path("attempt_count").asInt()).isEqualTo(1);
    }

    @Test
    void a_failed_attempt_is_recorded() {
        receiver.willDo(Receiver.answer(503, "not now"));
        var event = send("[30]");

        var attempt = EventReader.deliveryAfter(1, api, event).path("attempts").get(0);

        assertThat(attempt.path("attempt_number").asInt()).isEqualTo(1);
        assertThat(attempt.path("request_url").asString()).isEqualTo(receiver.url());
        assertThat(attempt.path("response_status").asInt()).isEqualTo(503);
        assertThat(attempt.path("response_body").asString()).isEqualTo("not now");
        assertThat(attempt.path("error_code").asString()).isEqualTo("http_status");
        assertThat(attempt.path("error_message").asString()).isEqualTo("Destination answered 503");
        assertThat(Instant.parse(attempt.path("attempted_at").asString()))
                .isBetween(clock.instant().minusMillis(1), clock.instant());
    }

    @Test
    void it_is_exhausted_after_the_first_attempt_and_one_for_each_interval() {
        receiver.willAnswer(503, 500, 502);
        var event = send("[10, 100]");
        EventReader.deliveryAfter(1, api, event);

        clock.advance(Duration.ofSeconds(12));
        var second = EventReader.deliveryAfter(2, api, event);
        assertThat(wait(second)).isBetween(Duration.ofSeconds(80), Duration.ofMinutes(2));
        clock.advance(Duration.ofMinutes(2));

        var exhausted = EventReader.delivery(api, event, "exhausted");
        assertThat(exhausted.path("attempt_count").asInt()).isEqualTo(3);
        assertThat(
                        exhausted
                                .path("attempts")
                                .valueStream()
                                .map(a -> a.path("response_status").asInt()))
                .containsExactly(503, 500, 502);
        assertThat(exhausted.path("next_attempt_at").isNull()).isTrue();
        assertThat(exhausted.path("reason").asString())
                .isEqualTo(
                        "Exhausted after 3 attempts: Destination answered 502. Resend it once the"
                                + " destination is fixed.");
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 405, 410, 422, 451})
    void a_refusal_is_not_tried_again(int status) {
        receiver.willAnswer(status);
        var event = send("[30]");

        var failed = EventReader.delivery(api, event, "failed");

        assertThat(failed.path("attempt_count").asInt()).isEqualTo(1);
        assertThat(failed.path("next_attempt_at").isNull()).isTrue();
        assertThat(failed.path("reason").asString())
                .isEqualTo(
                        "Failed: Destination answered "
                                + status
                                + "; this answer is not retried. Resend it once the destination is"
                                + " fixed.");
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 429, 500, 502, 504, 599})
    void an_answer_that_asks_for_patience_is_tried_again(int status) {
        receiver.willAnswer(status, 204);
        var event = send("[30]");
        assertThat(EventReader.deliveryAfter(1, api, event).path("status").asString())
                .isEqualTo("pending");

        clock.advance(Duration.ofSeconds(36));

        assertThat(EventReader.delivery(api, event, "succeeded").path("attempt_count").asInt())
                .isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 307, 308, 304})
    void a_redirect_is_a_failed_attempt_and_not_followed(int status) throws IOException {
        try (var elsewhere = Receiver.start()) {
            receiver.willDo(Receiver.answer(status, "", "Location: " + elsewhere.url()));
            var event = send("[30]");

            var waiting = EventReader.deliveryAfter(1, api, event);

            assertThat(waiting.path("status").asString()).isEqualTo("pending");
            var attempt = waiting.path("attempts").get(0);
            assertThat(attempt.path("error_code").asString()).isEqualTo("redirect");
            assertThat(attempt.path("response_status").asInt()).isEqualTo(status);
            assertThat(elsewhere.requests()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "503, 120,   120",
        "429, 120,   120",
        "503, 99999, 86400",
    })
    void retry_after_postpones_the_next_attempt(int status, int asked, int waited) {
        receiver.willDo(Receiver.answer(status, "", "Retry-After: " + asked));
        var event = send("[30]");

        assertThat(wait(EventReader.deliveryAfter(1, api, event)))
                .isEqualTo(Duration.ofSeconds(waited));
    }

    @ParameterizedTest
    @CsvSource({"503, 1", "503, -5", "503, soon", "500, 120", "408, 120"})
    void retry_after_never_hurries_and_counts_for_429_and_503_only(int status, String asked) {
        receiver.willDo(Receiver.answer(status, "", "Retry-After: " + asked));
        var event = send("[30]");

        assertThat(wait(EventReader.deliveryAfter(1, api, event)))
                .isBetween(Duration.ofSeconds(24), Duration.ofSeconds(36));
    }

    @Test
    void a_refused_connection_is_tried_again() throws IOException {
        try (var closed = ClosedPort.take()) {
            var event = sendTo(closed.url(), "[30]", "");

            var waiting = EventReader.deliveryAfter(1, api, event);

            assertThat(waiting.path("status").asString()).isEqualTo("pending");
            var attempt = waiting.path("attempts").get(0);
            assertThat(attempt.path("error_code").asString()).isEqualTo("connect_refused");
            assertThat(attempt.path("response_status").isNull()).isTrue();
            assertThat(attempt.path("response_body").isNull()).isTrue();
            assertThat(waiting.path("reason").asString())
                    .startsWith("Retry 1 of 1 at ")
                    .contains(attempt.path("error_message").asString());
        }
    }

    @Test
    void an_answer_that_comes_too_late_is_tried_again() {
        receiver.willDo(new Receiver.ScriptedResponse("", Receiver.ConnectionAction.STALL));
        var event = send("[30]", ", 'timeout_ms': 100");

        var attempt = EventReader.deliveryAfter(1, api, event).path("attempts").get(0);

        assertThat(attempt.path("error_code").asString()).isEqualTo("response_timeout");
        assertThat(attempt.path("latency_ms").asInt()).isBetween(90, 5_000);
    }

    @Test
    void a_connection_that_is_reset_is_tried_again() {
        receiver.willDo(new Receiver.ScriptedResponse("", Receiver.ConnectionAction.RESET));
        var event = send("[30]");

        var attempt = EventReader.deliveryAfter(1, api, event).path("attempts").get(0);

        assertThat(attempt.path("error_code").asString()).isEqualTo("connection_reset");
    }

    @Test
    void what_is_no_http_answer_is_tried_again() {
        receiver.willDo(
                new Receiver.ScriptedResponse(
                        "SSH-2.0-OpenSSH_9\r\n\r\n", Receiver.ConnectionAction.CLOSE));
        var event = send("[30]");

        var attempt = EventReader.deliveryAfter(1, api, event).path("attempts").get(0);

        assertThat(attempt.path("error_code").asString()).isEqualTo("invalid_response");
    }

    @Test
    void a_retry_goes_where_the_destination_is_by_then() throws IOException {
        try (var moved = Receiver.start()) {
            receiver.willAnswer(503);
            var source = api.source("s");
            var destination =
                    api.destination(
                            receiver.url(), ", 'retry_policy': {'intervals_seconds': [30]}");
            api.connect(source, destination);
            var event = api.ingest(source.text("ingest_path"), "{}");
            EventReader.deliveryAfter(1, api, event);

            api.patch(
                    "/api/v1/destinations/" + destination.text("id"),
                    "{'url': '" + moved.url() + "'}");
            clock.advance(Duration.ofSeconds(36));

            var delivered = EventReader.delivery(api, event, "succeeded");
            assertThat(
                            delivered
                                    .path("attempts")
                                    .valueStream()
                                    .map(a -> a.path("request_url").asString()))
                    .containsExactly(receiver.url(), moved.url());
        }
    }

    private ApiClient.ApiResponse send(String intervals) {
        return send(intervals, "");
    }

    private ApiClient.ApiResponse send(String intervals, String more) {
        return sendTo(receiver.url(), intervals, more);
    }

    private ApiClient.ApiResponse sendTo(String url, String intervals, String more) {
        var source = api.source("s");
        api.connect(
                source,
                api.destination(
                        url, ", 'retry_policy': {'intervals_seconds': " + intervals + "}" + more));
        return api.ingest(source.text("ingest_path"), "{}");
    }

    /// The time from now until the next attempt.
    private static Duration wait(JsonNode delivery) {
        var next = Instant.parse(delivery.path("next_attempt_at").asString());
        return Duration.between(Instant.ofEpochMilli(clock.instant().toEpochMilli()), next);
    }
}
