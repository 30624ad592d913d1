package dev.sluice.engine.send;

import static dev.sluice.engine.send.OutboundRequests.to;
import static dev.sluice.engine.send.OutboundRequests.withAuth;
import static dev.sluice.engine.send.OutboundRequests.withBody;
import static dev.sluice.engine.send.OutboundRequests.withCustom;
import static dev.sluice.engine.send.OutboundRequests.withInbound;
import static dev.sluice.engine.send.OutboundRequests.withTimeout;
import static dev.sluice.testkit.Receiver.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.Outcome.AttemptError;
import dev.sluice.engine.Outcome.DestinationResponse;
import dev.sluice.gateway.destination.AuthConfig;
import dev.sluice.platform.http.ServerVersion;
import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Cidr;
import dev.sluice.platform.secret.Secret;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.Receiver.AcceptBehaviour;
import dev.sluice.testkit.Receiver.ConnectionAction;
import dev.sluice.testkit.Receiver.DelayedBehaviour;
import dev.sluice.testkit.Receiver.ReceiverBehaviour;
import dev.sluice.testkit.Receiver.ScriptedResponse;
import dev.sluice.testkit.Receiver.TrickledResponse;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

@Isolated
class HostileReceiverTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final Duration SHORT_TIMEOUT = Duration.ofMillis(400);
    private static final Duration MAX_OVERRUN = Duration.ofSeconds(5);
    private static final String FAILED_STATUS_LINE = "HTTP/1.1 500 No\r\n";
    private static final String OK_STATUS_LINE = "HTTP/1.1 200 OK\r\n";

    private final Receiver receiver = Receiver.start();
    private final ScriptedDnsLookup lookup = new ScriptedDnsLookup();
    private final HttpSender sender = sender("127.0.0.0/8");

    @AfterEach
    void stop() throws IOException {
        sender.close();
        receiver.close();
    }

    static Stream<Arguments> what_never_ends() {
        return Stream.of(
                arguments(
                        new ScriptedResponse("", ConnectionAction.STALL),
                        ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new ScriptedResponse("HTTP/1.1 2", ConnectionAction.STALL),
                        ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new ScriptedResponse(OK_STATUS_LINE + "A: b\r\n", ConnectionAction.STALL),
                        ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new ScriptedResponse(
                                OK_STATUS_LINE + "Content-Length: 5\r\n\r\nab",
                                ConnectionAction.STALL),
                        ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new ScriptedResponse(
                                OK_STATUS_LINE + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
                                ConnectionAction.STALL),
                        ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new TrickledResponse(
                                OK_STATUS_LINE + "X-Drip: ", "a", Duration.ofMillis(30)),
                        ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new TrickledResponse(
                                OK_STATUS_LINE + "Content-Length: 9999\r\n\r\n",
                                "a",
                                Duration.ofMillis(30)),
                        ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new TrickledResponse(
                                "", "HTTP/1.1 103 Early\r\n\r\n", Duration.ofMillis(30)),
                        ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new DelayedBehaviour(Duration.ofMinutes(1), answer(200, "")),
                        ErrorCode.RESPONSE_TIMEOUT));
    }

    @ParameterizedTest
    @MethodSource
    void what_never_ends(ReceiverBehaviour behaviour, ErrorCode code) {
        receiver.willDo(behaviour);

        var outcome = sent(SHORT_TIMEOUT);

        assertUnreachable(outcome, code);
        assertThat(outcome.latency()).isBetween(SHORT_TIMEOUT, SHORT_TIMEOUT.plus(MAX_OVERRUN));
        assertThat(receiver.requests()).hasSize(1);
    }

    static Stream<Arguments> what_breaks_off_or_is_no_answer() {
        return Stream.of(
                arguments("", ConnectionAction.RESET, ErrorCode.CONNECTION_RESET),
                arguments("", ConnectionAction.CLOSE, ErrorCode.CONNECTION_RESET),
                arguments("HTTP/1.1 20", ConnectionAction.RESET, ErrorCode.CONNECTION_RESET),
                arguments(OK_STATUS_LINE, ConnectionAction.CLOSE, ErrorCode.CONNECTION_RESET),
                arguments(
                        OK_STATUS_LINE + "A: b\r\n",
                        ConnectionAction.RESET,
                        ErrorCode.CONNECTION_RESET),
                arguments(
                        OK_STATUS_LINE + "A: b\r\n",
                        ConnectionAction.CLOSE,
                        ErrorCode.CONNECTION_RESET),
                arguments(
                        OK_STATUS_LINE + "Content-Length: 99\r\n\r\nab",
                        ConnectionAction.RESET,
                        ErrorCode.CONNECTION_RESET),
                arguments(
                        OK_STATUS_LINE + "Content-Length: 99\r\n\r\nab",
                        ConnectionAction.CLOSE,
                        ErrorCode.CONNECTION_RESET),
                arguments(
                        OK_STATUS_LINE + "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
                        ConnectionAction.CLOSE,
                        ErrorCode.CONNECTION_RESET),
                arguments("garbage\r\n\r\n", ConnectionAction.KEEP, ErrorCode.INVALID_RESPONSE),
                arguments(
                        "hello, this is HTTP/0.9\n",
                        ConnectionAction.CLOSE,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        "\r\n\r\n" + OK_STATUS_LINE + "\r\n",
                        ConnectionAction.KEEP,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        "HTTP/1.1 42 Low\r\n\r\n",
                        ConnectionAction.KEEP,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        "HTTP/1.1 600 High\r\n\r\n",
                        ConnectionAction.KEEP,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        "HTTP/1.1 abc\r\n\r\n", ConnectionAction.KEEP, ErrorCode.INVALID_RESPONSE),
                arguments("HTTP/2 200\r\n\r\n", ConnectionAction.KEEP, ErrorCode.INVALID_RESPONSE),
                arguments(
                        FAILED_STATUS_LINE + "Content-Length: abc\r\n\r\n",
                        ConnectionAction.KEEP,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        FAILED_STATUS_LINE + "Content-Length: -1\r\n\r\n",
                        ConnectionAction.KEEP,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        FAILED_STATUS_LINE + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                        ConnectionAction.KEEP,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        FAILED_STATUS_LINE + "Transfer-Encoding: gzip\r\n\r\nab",
                        ConnectionAction.CLOSE,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        FAILED_STATUS_LINE + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
                        ConnectionAction.KEEP,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        FAILED_STATUS_LINE + "A: " + "a".repeat(1 << 20) + "\r\n\r\n",
                        ConnectionAction.KEEP,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        FAILED_STATUS_LINE + ("A: " + "a".repeat(8000) + "\r\n").repeat(9) + "\r\n",
                        ConnectionAction.KEEP,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        FAILED_STATUS_LINE + "A: b\r\n".repeat(101),
                        ConnectionAction.STALL,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        "HTTP/1.1 103 Early\r\n\r\n".repeat(1000),
                        ConnectionAction.STALL,
                        ErrorCode.INVALID_RESPONSE));
    }

    @ParameterizedTest
    @MethodSource
    void what_breaks_off_or_is_no_answer(String bytes, ConnectionAction next, ErrorCode code) {
        receiver.willDo(new ScriptedResponse(bytes, next));

        var outcome = sent(Duration.ofSeconds(30));

        assertUnreachable(outcome, code);
        assertThat(outcome.latency()).isLessThan(Duration.ofSeconds(20));
        assertThat(receiver.requests()).hasSize(1);
    }

    static Stream<Arguments> once_the_status_is_2xx_the_rest_may_be_invalid() {
        return Stream.of(
                arguments("Content-Length: abc\r\n\r\n", ""),
                arguments("Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", ""),
                arguments("Transfer-Encoding: gzip\r\n\r\nab", ""),
                arguments("Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\nxyz\r\n", "ok"),
                arguments("no header\r\n\r\n", ""),
                arguments("A: " + "a".repeat(1 << 20) + "\r\n\r\n", ""),
                arguments(("A: " + "a".repeat(8000) + "\r\n").repeat(9) + "\r\n", ""),
                arguments("A: b\r\n".repeat(101), ""));
    }

    @ParameterizedTest
    @MethodSource
    void once_the_status_is_2xx_the_rest_may_be_invalid(String rest, String body) {
        receiver.willDo(
                new ScriptedResponse(OK_STATUS_LINE + rest, ConnectionAction.KEEP),
                answer(200, "next"));

        var answered = answered(sent(Duration.ofSeconds(30)));

        assertThat(answered.status()).isEqualTo(200);
        assertThat(answered.body()).isEqualTo(body);
        assertThat(answered.remark())
                .get()
                .asString()
                .startsWith("The rest of the response is not valid HTTP: ")
                .hasSizeLessThan(300)
                .doesNotContainPattern("\\p{Cntrl}");
        assertThat(answered(sent(Duration.ofSeconds(5))).body()).isEqualTo("next");
        assertThat(receiver.connections()).as("the connection is closed").isEqualTo(2);
    }

    @Test
    void one_line_may_take_almost_all_of_a_head() {
        receiver.willDo(answer(503, "", "Cache-Tag: " + "a".repeat(60_000)), answer(200, ""));

        assertThat(answered(sent(Duration.ofSeconds(5))).status()).isEqualTo(503);
        assertThat(answered(sent(Duration.ofSeconds(5))).status()).isEqualTo(200);
        assertThat(receiver.connections()).isEqualTo(1);
    }

    @Test
    void a_redirect_says_where_it_leads() {
        receiver.willDo(
                answer(301, "", "Location: https://new.example/hook?a=b"),
                answer(302, ""),
                answer(307, "", "Location: /\u001b[31m" + "x".repeat(9000)));

        assertThat(answered(sent(Duration.ofSeconds(5))).remark())
                .hasValue("https://new.example/hook?a=b");
        assertThat(answered(sent(Duration.ofSeconds(5))).remark()).isEmpty();
        assertThat(answered(sent(Duration.ofSeconds(5))).remark())
                .get()
                .asString()
                .startsWith("/\ufffd[31mxxx")
                .hasSize(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 000 Zero",
                "HTTP/1.1 0",
                "HTTP/1.1 99 Low",
                "HTTP/1.1 -1 Negative",
                "HTTP/1.1 600 High",
                "HTTP/1.1 1000 Long",
                "HTTP/1.1 99999999999 Overflow",
                "HTTP/1.1 2 00",
                "HTTP/1.1 +200 Signed",
                "HTTP/1.1 0200 Padded",
                "HTTP/1.1 20x",
                "HTTP/1.1",
                "HTTP/1.1 ",
                "HTTP/9.9 200",
                "ICY 200 OK",
                "\u0000HTTP/1.1 200",
                "HTTP/1.1 \u001b[31m",
                "HTTP/1.1 \u00b2\u00b2\u00b2"
            })
    void a_status_line_that_is_none_is_said_in_one_sentence(String line) {
        receiver.willDo(new ScriptedResponse(line + "\r\n\r\n", ConnectionAction.KEEP));

        var outcome = sent(Duration.ofSeconds(5));

        assertUnreachable(outcome, ErrorCode.INVALID_RESPONSE);
        assertThat(((AttemptError) outcome).detail())
                .startsWith("The response is not valid HTTP: ")
                .doesNotContain("Exception", "null")
                .doesNotContainPattern("\\p{Cntrl}");
        assertThat(receiver.requests()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", " \u0001\u001b[31m", " \u0000", " \u00ff", " \ta\rb"})
    void a_reason_phrase_is_not_looked_at(String reason) {
        receiver.willDo(
                new ScriptedResponse(
                        "HTTP/1.1 200" + reason + "\r\nContent-Length: 0\r\n\r\n",
                        ConnectionAction.KEEP));

        assertThat(answered(sent(Duration.ofSeconds(5))).status()).isEqualTo(200);
    }

    /// A receiver's bytes must never look like a bug of ours.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whatever_bytes_come_an_attempt_ends_with_an_outcome(long seed) {
        var random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            String bytes = randomResponse(random);
            receiver.willDo(new ScriptedResponse(bytes, ConnectionAction.CLOSE));

            var outcome = sent(Duration.ofSeconds(5));

            if (outcome instanceof AttemptError(ErrorCode code, String detail, _)) {
                assertThat(code)
                        .as(bytes)
                        .isIn(ErrorCode.INVALID_RESPONSE, ErrorCode.CONNECTION_RESET);
                assertThat(detail)
                        .as(bytes)
                        .doesNotContain("Exception")
                        .doesNotContainPattern("\\p{Cntrl}")
                        .hasSizeLessThan(250);
            }
        }
    }

    private static String randomResponse(Random random) {
        var parts =
                List.of(
                        "HTTP/1.1 ",
                        "HTTP/1.0 ",
                        "200",
                        "204",
                        "000",
                        "-1",
                        "101",
                        " OK",
                        "\r\n",
                        "\r\n",
                        "\n",
                        "\r",
                        ":",
                        ";",
                        ",",
                        "\u0000",
                        "\u00ff",
                        "\t",
                        "\r\n\r\n",
                        "Content-Length: ",
                        "Transfer-Encoding: chunked\r\n\r\n",
                        "gzip, ",
                        "Connection: close",
                        "Connection: ,,;=",
                        "Keep-Alive: timeout=x",
                        "5",
                        "-5",
                        "99999999999999999999",
                        "ffffffffffffffffffff\r\n",
                        "5\r\nhello\r\n0\r\n",
                        "Retry-After: ",
                        "Content-Type: ;;=",
                        "Trailer: x",
                        "\"",
                        "hello");
        var bytes = new StringBuilder(random.nextInt(4) == 0 ? "" : "HTTP/1.1 200 OK\r\n");
        for (int left = random.nextInt(12); left > 0; left--) {
            bytes.append(parts.get(random.nextInt(parts.size())));
        }
        return bytes.toString();
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                101, 104, 199, 200, 204, 205, 299, 301, 302, 304, 307, 400, 401, 408, 410, 421, 429,
                500, 503, 599
            })
    void every_status_is_an_answer_to_one_request(int status) {
        receiver.willDo(
                answer(
                        status,
                        "",
                        "Retry-After: 0",
                        "WWW-Authenticate: Basic realm=x",
                        "Set-Cookie: a=b",
                        "Location: http://127.0.0.1:1/"));

        var answered = answered(sent(Duration.ofSeconds(5)));

        assertThat(answered.status()).isEqualTo(status);
        assertThat(answered.retryAfter()).contains(Duration.ZERO);
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void interim_answers_are_passed_over() {
        String early = "HTTP/1.1 103 Early\r\nLink: x\r\n\r\n";
        String working = "HTTP/1.1 102 Processing\r\n\r\n";
        String last = OK_STATUS_LINE + "Content-Length: 2\r\n\r\nok";
        receiver.willDo(
                new ScriptedResponse(
                        "HTTP/1.1 100 C\r\n\r\n" + early + working + last, ConnectionAction.KEEP));

        assertThat(answered(sent(Duration.ofSeconds(5))).body()).isEqualTo("ok");
    }

    @Test
    void a_late_answer_in_time_is_an_answer() {
        receiver.willDo(new DelayedBehaviour(Duration.ofMillis(150), answer(200, "late")));

        var answered = answered(sent(Duration.ofSeconds(5)));

        assertThat(answered.body()).isEqualTo("late");
        assertThat(answered.latency()).isGreaterThan(Duration.ofMillis(149));
    }

    @Test
    void of_an_endless_body_the_beginning_is_kept() {
        receiver.willDo(
                new TrickledResponse(
                        OK_STATUS_LINE + "\r\n", "0123456789".repeat(1000), Duration.ofMillis(1)),
                answer(200, ""));

        var answered = answered(sent(Duration.ofSeconds(30)));

        assertThat(answered.body()).hasSize(1024).startsWith("0123456789");
        assertThat(answered.latency()).isLessThan(Duration.ofSeconds(20));
        assertThat(answered(sent(SHORT_TIMEOUT)).body()).isEmpty();
        assertThat(receiver.connections()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "200, 1023, 1023, 1",
        "200, 1025, 1024, 1",
        "200, 65536, 1024, 1",
        "200, 65537, 1024, 2",
        "500, 16383, 16383, 1",
        "500, 16384, 16384, 1",
        "500, 16385, 16384, 1",
        "500, 65536, 16384, 1",
        "500, 65537, 16384, 2",
        "500, 10000000, 16384, 2",
    })
    void a_connection_is_kept_for_the_next_attempt_when_the_rest_is_worth_reading(
            int status, int length, int kept, int connections) {
        receiver.willDo(answer(status, "a".repeat(length)));

        assertThat(answered(sent(SHORT_TIMEOUT)).body()).hasSize(kept);
        assertThat(answered(sent(SHORT_TIMEOUT)).body()).hasSize(kept);
        assertThat(receiver.connections()).isEqualTo(connections);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 204 No\r\n\r\nhello",
                "HTTP/1.1 304 Not\r\n\r\nHTTP/1.1 200 Smuggled\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 304 Not\r\nContent-Length: 5\r\n\r\n",
                "HTTP/1.1 101 Go\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 Two\r\n\r\n",
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx",
            })
    void what_may_be_out_of_step_is_not_used_again(String bytes) {
        receiver.willDo(new ScriptedResponse(bytes, ConnectionAction.KEEP), answer(202, "mine"));

        answered(sent(SHORT_TIMEOUT));
        var second = answered(sent(SHORT_TIMEOUT));

        assertThat(second.status()).isEqualTo(202);
        assertThat(second.body()).isEqualTo("mine");
        assertThat(receiver.connections()).isEqualTo(2);
    }

    @Test
    void an_ordinary_204_keeps_the_connection() {
        receiver.willDo(
                new ScriptedResponse("HTTP/1.1 204 No Content\r\n\r\n", ConnectionAction.KEEP));

        answered(sent(SHORT_TIMEOUT));
        answered(sent(SHORT_TIMEOUT));

        assertThat(receiver.connections()).isEqualTo(1);
    }

    @Test
    void bytes_that_come_unasked_between_attempts_are_no_answer() {
        receiver.willDo(
                new ScriptedResponse(
                        OK_STATUS_LINE + "Content-Length: 0\r\n\r\n", ConnectionAction.KEEP),
                answer(202, "mine"));
        answered(sent(SHORT_TIMEOUT));
        receiver.sendUnsolicited("HTTP/1.1 200 Unasked\r\nContent-Length: 0\r\n\r\n");

        assertThat(answered(sent(SHORT_TIMEOUT)).status()).isEqualTo(202);
        assertThat(receiver.connections()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"CLOSE, 1", "RESET, 1"})
    void a_connection_that_died_idle_is_replaced_within_the_attempt(
            ConnectionAction next, int seen) {
        receiver.willDo(
                new ScriptedResponse(OK_STATUS_LINE + "Content-Length: 0\r\n\r\n", next),
                answer(202, ""));
        answered(sent(SHORT_TIMEOUT));

        assertThat(answered(sent(SHORT_TIMEOUT)).status()).isEqualTo(202);
        assertThat(receiver.requests()).hasSize(1 + seen);
    }

    @Test
    void a_reused_connection_that_dies_unheard_is_tried_once_more_and_only_once() {
        receiver.willDo(answer(200, ""), new ScriptedResponse("", ConnectionAction.CLOSE));
        answered(sent(SHORT_TIMEOUT));

        assertUnreachable(sent(SHORT_TIMEOUT), ErrorCode.CONNECTION_RESET);

        assertThat(receiver.requests())
                .extracting(Receiver.ReceivedRequest::connection)
                .containsExactly(1, 1, 2);
    }

    @Test
    void a_reused_connection_that_dies_after_its_first_byte_is_not_tried_again() {
        receiver.willDo(
                answer(200, ""), new ScriptedResponse(OK_STATUS_LINE, ConnectionAction.CLOSE));
        answered(sent(SHORT_TIMEOUT));

        assertUnreachable(sent(SHORT_TIMEOUT), ErrorCode.CONNECTION_RESET);
        assertThat(receiver.requests()).hasSize(2);
    }

    @Test
    void running_out_of_time_on_a_reused_connection_is_not_tried_again() {
        receiver.willDo(answer(200, ""), new ScriptedResponse("", ConnectionAction.STALL));
        answered(sent(SHORT_TIMEOUT));

        assertUnreachable(sent(SHORT_TIMEOUT), ErrorCode.RESPONSE_TIMEOUT);
        assertThat(receiver.requests()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "Content-Encoding: bogus, plain",
        "Content-Encoding: gzip, not gzip at all",
        "Content-Type: text/plain; charset=utf-16, plain"
    })
    void bodies_are_not_unpacked(String header, String body) {
        receiver.willDo(answer(200, body, header));

        assertThat(answered(sent(SHORT_TIMEOUT)).body()).isEqualTo(body);
    }

    @ParameterizedTest
    @CsvSource({
        "'a\u0000b', 'a\ufffdb'",
        "'\u00c3\u00a9', \u00e9",
        "'\u00ff\u00fe', '\ufffd\ufffd'",
        "'\u00ed\u00a0\u0080', \ufffd"
    })
    void bodies_are_text_that_a_database_takes(String bytes, String text) {
        receiver.willDo(answer(200, bytes));

        assertThat(answered(sent(SHORT_TIMEOUT)).body()).isEqualTo(text);
    }

    @Test
    void a_character_cut_by_the_limit_is_left_out() {
        receiver.willDo(answer(200, "a".repeat(1023) + "\u00c3\u00a9 and more"));

        assertThat(answered(sent(SHORT_TIMEOUT)).body()).isEqualTo("a".repeat(1023));
    }

    @ParameterizedTest
    @CsvSource({
        "120, PT2M",
        "' 0 ', PT0S",
        "'Fri, 02 Jan 2026 03:05:05 GMT', PT1M",
        "'Friday, 02-Jan-26 03:05:05 GMT', PT1M",
        "'Fri Jan  2 03:05:05 2026', PT1M",
        "'Fri, 02 Jan 2015 03:05:05 GMT', PT0S",
        "99999999999999999999, PT277777H46M39S",
    })
    void retry_after_is_understood(String value, Duration wait) {
        receiver.willDo(answer(503, "", "Retry-After: " + value));

        assertThat(answered(sent(SHORT_TIMEOUT)).retryAfter()).contains(wait);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5", "soon", "\u0663"})
    void what_is_no_retry_after_is_none(String value) {
        receiver.willDo(answer(503, "", "Retry-After: " + value));

        assertThat(answered(sent(SHORT_TIMEOUT)).retryAfter()).isEmpty();
    }

    @Test
    void the_request_is_what_was_asked_for_byte_by_byte() {
        var request =
                withBody(
                        withAuth(
                                withCustom(
                                        withInbound(
                                                to(receiver.url() + "/a//b?c=[%41]&d"),
                                                "content-type: application/x-Thing",
                                                "X-b: 1",
                                                "x-A: \u0080\u009f\u00ff\ttab",
                                                "X-b: 2"),
                                        "X-Custom: evil\r\nInjected: yes"),
                                new AuthConfig.ApiKeyAuth("X-Key", new Secret("k"))),
                        OutboundBody.of(new byte[] {0, (byte) 0xff, '\r', '\n'}));

        answered(send(request));

        var receivedRequest = receiver.requests().getFirst();
        assertThat(receivedRequest.line()).isEqualTo("POST /hook/a//b?c=[%41]&d HTTP/1.1");
        assertThat(receivedRequest.headers())
                .containsExactly(
                        "Host: 127.0.0.1:" + receiver.port(),
                        "Content-Length: 4",
                        "content-type: application/x-Thing",
                        "X-b: 1",
                        "x-A: \u0080\u009f\u00ff\ttab",
                        "X-b: 2",
                        "User-Agent: " + ServerVersion.USER_AGENT,
                        "X-Custom: evil  Injected: yes",
                        "X-Service-Event-Id: 0190a5c4-0000-7000-8000-000000000000",
                        "X-Service-Delivery-Id: 0190a5c4-0000-7000-8000-000000000001",
                        "X-Service-Attempt: 1",
                        "X-Service-Method: POST",
                        "X-Key: k",
                        "X-Service-Hop: 1");
        assertThat(receivedRequest.body()).isEqualTo("\0\u00ff\r\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8191, 8192, 100_000, 2_000_000})
    void bodies_of_any_size_arrive(int size) {
        var bytes = new byte[size];

        answered(send(withBody(to(receiver.url()), OutboundBody.of(bytes))));

        assertThat(receiver.requests().getFirst().body()).hasSize(size);
        assertThat(receiver.requests().getFirst().values("Content-Length"))
                .containsExactly(Integer.toString(size));
    }

    /// Covers a receiver that reads the rest of the body, and one that resets the connection.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_answer_before_the_body_was_sent_is_the_answer(boolean readsOn) throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            Thread.ofVirtual().start(() -> refuseEarly(server, readsOn));
            var request =
                    withBody(
                            to("http://127.0.0.1:" + server.getLocalPort() + "/"),
                            OutboundBody.of(new byte[8 << 20]));

            assertThat(answered(send(request)).status()).isEqualTo(413);
        }
    }

    private static void refuseEarly(ServerSocket server, boolean readsOn) {
        try (var socket = server.accept()) {
            socket.getInputStream().readNBytes(1000);
            socket.getOutputStream()
                    .write("HTTP/1.1 413 Large\r\nContent-Length: 0\r\n\r\n".getBytes(US_ASCII));
            if (readsOn) {
                socket.getInputStream().skipNBytes(8 << 20);
            }
        } catch (IOException e) {
            // The sender closed the connection.
        }
    }

    @Test
    void a_redirect_to_a_private_address_is_not_followed() throws IOException {
        try (var inside = Receiver.start()) {
            receiver.willDo(answer(307, "", "Location: " + inside.url()));

            assertThat(answered(sent(Duration.ofSeconds(5))).status()).isEqualTo(307);
            assertThat(inside.connections()).isZero();
            assertThat(receiver.requests()).hasSize(1);
        }
    }

    @Test
    void a_reset_on_accept_is_a_reset() {
        receiver.willDo(new AcceptBehaviour(ConnectionAction.RESET));

        assertUnreachable(sent(SHORT_TIMEOUT), ErrorCode.CONNECTION_RESET);
        assertThat(receiver.connections()).isEqualTo(1);
    }

    @Test
    void nobody_listening_is_a_refused_connection() throws IOException {
        // Bound but not listening, so that nothing else can take the port.
        try (var taken = new Socket()) {
            taken.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            var request =
                    withTimeout(
                            to("http://127.0.0.1:" + taken.getLocalPort() + "/"), SHORT_TIMEOUT);

            var outcome = (AttemptError) send(request);

            assertThat(outcome.code()).isEqualTo(ErrorCode.CONNECT_REFUSED);
            assertThat(outcome.detail()).isEqualTo("Connection refused");
        }
    }

    @Test
    void a_host_that_does_not_take_the_connection_is_a_connect_timeout() throws IOException {
        try (var full = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            var queue = fill(full);

            var outcome =
                    send(withTimeout(to("http://127.0.0.1:" + full.getLocalPort()), SHORT_TIMEOUT));

            assertUnreachable(outcome, ErrorCode.CONNECT_TIMEOUT);
            assertThat(((AttemptError) outcome).detail()).isEqualTo("No connection within 400 ms");
            assertThat(outcome.latency()).isBetween(SHORT_TIMEOUT, SHORT_TIMEOUT.plus(MAX_OVERRUN));
            for (var socket : queue) {
                socket.close();
            }
        }
    }

    /// Opens connections that nobody accepts, until the accept queue is full.
    private static List<Socket> fill(ServerSocket server) throws IOException {
        var queue = new ArrayList<Socket>();
        for (int i = 0; i < 8; i++) {
            var socket = new Socket();
            queue.add(socket);
            try {
                socket.connect(server.getLocalSocketAddress(), 50);
            } catch (IOException e) {
                break;
            }
        }
        return queue;
    }

    @Test
    void a_stalled_tls_handshake_ends_with_the_attempt() {
        receiver.willDo(new AcceptBehaviour(ConnectionAction.STALL));

        var outcome =
                send(withTimeout(to("https://127.0.0.1:" + receiver.port() + "/"), SHORT_TIMEOUT));

        assertUnreachable(outcome, ErrorCode.TLS_FAILED);
        assertThat(outcome.latency())
                .isBetween(SHORT_TIMEOUT.minusMillis(1), SHORT_TIMEOUT.plus(MAX_OVERRUN));
    }

    @Test
    void plain_http_on_a_tls_port_is_a_tls_failure() {
        receiver.willDo(new AcceptBehaviour(ConnectionAction.CLOSE));

        assertUnreachable(
                send(to("https://127.0.0.1:" + receiver.port() + "/")), ErrorCode.TLS_FAILED);
    }

    @Test
    void what_may_no_longer_be_sent_once_it_is_connected_is_not_sent() {
        var outcome = sender.send(to(receiver.url()), () -> false);

        assertUnreachable(outcome, ErrorCode.INTERRUPTED);
        answered(send(to(receiver.url())));
        assertThat(receiver.connections()).isEqualTo(2);
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void an_attempt_whose_time_is_over_before_it_connects_is_a_connect_timeout() {
        var outcome = send(withTimeout(to(receiver.url()), Duration.ofNanos(1)));

        assertUnreachable(outcome, ErrorCode.CONNECT_TIMEOUT);
        assertThat(receiver.connections()).isZero();
    }

    @Test
    void an_attempt_whose_time_is_over_once_it_is_connected_is_not_sent() {
        var outcome =
                sender.send(
                        withTimeout(to(receiver.url()), SHORT_TIMEOUT),
                        () -> {
                            long start = System.nanoTime();
                            while (System.nanoTime() - start < SHORT_TIMEOUT.toNanos()) {
                                Thread.onSpinWait();
                            }
                            return true;
                        });

        assertUnreachable(outcome, ErrorCode.CONNECT_TIMEOUT);
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void a_name_that_does_not_resolve_is_a_dns_failure() {
        var outcome = (AttemptError) send(to("http://nowhere.example/"));

        assertThat(outcome.code()).isEqualTo(ErrorCode.DNS_FAILURE);
        assertThat(outcome.detail())
                .isEqualTo("The host name nowhere.example could not be resolved");
    }

    @Test
    void a_look_up_that_hangs_ends_with_the_attempt() {
        var hanging =
                open(_ -> {
                    new Semaphore(0).acquireUninterruptibly();
                    return List.of();
                });

        try (hanging) {
            var outcome =
                    hanging.send(
                            withTimeout(to("http://slow.example/"), SHORT_TIMEOUT), () -> true);

            assertUnreachable(outcome, ErrorCode.DNS_FAILURE);
            assertThat(outcome.latency()).isBetween(SHORT_TIMEOUT, SHORT_TIMEOUT.plus(MAX_OVERRUN));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://inside.example:PORT/",
                "http://mixed.example:PORT/",
                "http://127.0.0.1:PORT/",
                "http://[::ffff:127.0.0.1]:PORT/",
            })
    void a_private_address_is_never_dialled(String url) {
        lookup.resolves("inside.example", "127.0.0.1")
                .resolves("mixed.example", "8.8.8.8", "127.0.0.1");

        try (var guarded = sender()) {
            var port = Integer.toString(receiver.port());
            var outcome = (AttemptError) guarded.send(to(url.replace("PORT", port)), () -> true);

            assertThat(outcome.code()).isEqualTo(ErrorCode.BLOCKED_ADDRESS);
            assertThat(outcome.detail())
                    .doesNotContain("127.0.0.1")
                    .contains("SLUICE_ALLOW_PRIVATE_DESTINATIONS");
            assertThat(receiver.connections()).isZero();
        }
    }

    @Test
    void a_name_that_turns_private_between_attempts_is_blocked_although_a_connection_is_open() {
        lookup.resolves("turning.example", "127.0.0.1").resolves("turning.example", "10.0.0.1");
        var request = to("http://turning.example:" + receiver.port() + "/");

        answered(send(request));

        assertUnreachable(send(request), ErrorCode.BLOCKED_ADDRESS);
        assertThat(receiver.connections()).isEqualTo(1);
    }

    @Test
    void the_next_address_is_tried_when_one_does_not_take_the_connection() {
        lookup.resolves("two.example", "127.0.0.2", "127.0.0.1");

        var outcome = send(to("http://two.example:" + receiver.port() + "/"));

        assertThat(answered(outcome).status()).isEqualTo(200);
        assertThat(receiver.requests().getFirst().values("Host"))
                .containsExactly("two.example:" + receiver.port());
    }

    @Test
    void the_host_name_goes_out_as_given_and_without_the_usual_port() {
        lookup.resolves("xn--bcher-kva.example", "127.0.0.1");

        send(to("http://B\u00fccher.example.:" + receiver.port() + "/"));

        assertThat(receiver.requests().getFirst().values("Host"))
                .containsExactly("xn--bcher-kva.example:" + receiver.port());
    }

    @Test
    void the_machines_own_resolver_finds_localhost_where_loopback_is_opened() {
        try (var system = open(DnsLookup.system(), "127.0.0.0/8")) {
            var outcome = system.send(to("http://localhost:" + receiver.port() + "/"), () -> true);

            assertThat(answered(outcome).status()).isEqualTo(200);
        }
    }

    /// Sends to an address of the documentation range (RFC 5737), because the JDK uses no proxy for
    /// loopback.
    @Test
    void a_proxy_in_the_environment_is_not_asked() throws IOException {
        try (var proxy = Receiver.start();
                var documented = sender("203.0.113.0/24")) {
            System.setProperty("socksProxyHost", "127.0.0.1");
            System.setProperty("socksProxyPort", Integer.toString(proxy.port()));

            documented.send(withTimeout(to("http://203.0.113.1/"), SHORT_TIMEOUT), () -> true);

            assertThat(proxy.connections()).isZero();
        } finally {
            System.clearProperty("socksProxyHost");
            System.clearProperty("socksProxyPort");
        }
    }

    @Test
    void closing_ends_what_is_under_way_as_interrupted() throws Exception {
        receiver.willDo(new ScriptedResponse(OK_STATUS_LINE, ConnectionAction.STALL));
        var outcome = new FutureTask<>(() -> sent(Duration.ofMinutes(1)));
        Thread.ofVirtual().start(outcome);
        while (receiver.requests().isEmpty()) {
            Thread.onSpinWait();
        }

        sender.close();

        assertUnreachable(outcome.get(), ErrorCode.INTERRUPTED);
        assertUnreachable(sent(SHORT_TIMEOUT), ErrorCode.INTERRUPTED);
    }

    private Outcome send(OutboundRequest request) {
        return sender.send(request, () -> true);
    }

    private Outcome sent(Duration timeout) {
        return send(withTimeout(to(receiver.url()), timeout));
    }

    private static DestinationResponse answered(Outcome outcome) {
        assertThat(outcome).isInstanceOf(DestinationResponse.class);
        return (DestinationResponse) outcome;
    }

    private static void assertUnreachable(Outcome outcome, ErrorCode code) {
        assertThat(outcome).isInstanceOf(AttemptError.class);
        assertThat(((AttemptError) outcome).code()).as(outcome.toString()).isEqualTo(code);
    }

    private HttpSender sender(String... allowed) {
        return open(lookup, allowed);
    }

    private static HttpSender open(DnsLookup lookup, String... allowed) {
        var policy = AddressPolicy.allowing(Stream.of(allowed).map(Cidr::parse).toList());
        try {
            return HttpSender.open(
                    new HostResolver(lookup, policy, Duration.ZERO),
                    new HttpConnectionPool(SSLContext.getDefault(), 64),
                    new OutboundHeaderBuilder("X-Service"),
                    InstantSource.fixed(NOW));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
