package dev.sluice.relay.send;

import static dev.sluice.relay.send.Parcels.to;
import static dev.sluice.relay.send.Parcels.withAuth;
import static dev.sluice.relay.send.Parcels.withBody;
import static dev.sluice.relay.send.Parcels.withCustom;
import static dev.sluice.relay.send.Parcels.withInbound;
import static dev.sluice.relay.send.Parcels.withTimeout;
import static dev.sluice.testkit.Receiver.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.gateway.destination.Auth;
import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Cidr;
import dev.sluice.platform.secret.Secret;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Outcome;
import dev.sluice.relay.Outcome.Answered;
import dev.sluice.relay.Outcome.Unreachable;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.Receiver.Behaviour;
import dev.sluice.testkit.Receiver.Drip;
import dev.sluice.testkit.Receiver.Late;
import dev.sluice.testkit.Receiver.Next;
import dev.sluice.testkit.Receiver.OnAccept;
import dev.sluice.testkit.Receiver.Say;

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
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

@Isolated
class HostileReceiverTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final Duration SHORT = Duration.ofMillis(400);
    private static final Duration GRACE = Duration.ofMillis(300);
    private static final String OK = "HTTP/1.1 200 OK\r\n";

    private final Receiver receiver = Receiver.start();
    private final ScriptedLookup lookup = new ScriptedLookup();
    private final HttpSender sender = sender("127.0.0.0/8");

    @AfterEach
    void stop() throws IOException {
        sender.close();
        receiver.close();
    }

    static Stream<Arguments> what_never_ends() {
        return Stream.of(
                arguments(new Say("", Next.STALL), ErrorCode.RESPONSE_TIMEOUT),
                arguments(new Say("HTTP/1.1 2", Next.STALL), ErrorCode.RESPONSE_TIMEOUT),
                arguments(new Say(OK + "A: b\r\n", Next.STALL), ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new Say(OK + "Content-Length: 5\r\n\r\nab", Next.STALL),
                        ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new Say(OK + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n", Next.STALL),
                        ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new Drip(OK + "X-Drip: ", "a", Duration.ofMillis(30)),
                        ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new Drip(OK + "Content-Length: 9999\r\n\r\n", "a", Duration.ofMillis(30)),
                        ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new Drip("", "HTTP/1.1 103 Early\r\n\r\n", Duration.ofMillis(30)),
                        ErrorCode.RESPONSE_TIMEOUT),
                arguments(
                        new Late(Duration.ofMinutes(1), answer(200, "")),
                        ErrorCode.RESPONSE_TIMEOUT));
    }

    @ParameterizedTest
    @MethodSource
    void what_never_ends(Behaviour behaviour, ErrorCode code) {
        receiver.will(behaviour);

        var outcome = sent(SHORT);

        assertUnreachable(outcome, code);
        assertThat(outcome.latency()).isBetween(SHORT, SHORT.plus(GRACE));
        assertThat(receiver.requests()).hasSize(1);
    }

    static Stream<Arguments> what_breaks_off_or_is_no_answer() {
        return Stream.of(
                arguments("", Next.RESET, ErrorCode.CONNECTION_RESET),
                arguments("", Next.CLOSE, ErrorCode.CONNECTION_RESET),
                arguments("HTTP/1.1 20", Next.RESET, ErrorCode.CONNECTION_RESET),
                arguments(OK, Next.CLOSE, ErrorCode.CONNECTION_RESET),
                arguments(OK + "A: b\r\n", Next.RESET, ErrorCode.CONNECTION_RESET),
                arguments(OK + "A: b\r\n", Next.CLOSE, ErrorCode.CONNECTION_RESET),
                arguments(
                        OK + "Content-Length: 99\r\n\r\nab",
                        Next.RESET,
                        ErrorCode.CONNECTION_RESET),
                arguments(
                        OK + "Content-Length: 99\r\n\r\nab",
                        Next.CLOSE,
                        ErrorCode.CONNECTION_RESET),
                arguments(
                        OK + "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
                        Next.CLOSE,
                        ErrorCode.CONNECTION_RESET),
                arguments("garbage\r\n\r\n", Next.KEEP, ErrorCode.INVALID_RESPONSE),
                arguments("hello, this is HTTP/0.9\n", Next.CLOSE, ErrorCode.INVALID_RESPONSE),
                arguments("\r\n\r\n" + OK + "\r\n", Next.KEEP, ErrorCode.INVALID_RESPONSE),
                arguments("HTTP/1.1 42 Low\r\n\r\n", Next.KEEP, ErrorCode.INVALID_RESPONSE),
                arguments("HTTP/1.1 600 High\r\n\r\n", Next.KEEP, ErrorCode.INVALID_RESPONSE),
                arguments("HTTP/1.1 abc\r\n\r\n", Next.KEEP, ErrorCode.INVALID_RESPONSE),
                arguments("HTTP/2 200\r\n\r\n", Next.KEEP, ErrorCode.INVALID_RESPONSE),
                arguments(
                        OK + "Content-Length: abc\r\n\r\n", Next.KEEP, ErrorCode.INVALID_RESPONSE),
                arguments(OK + "Content-Length: -1\r\n\r\n", Next.KEEP, ErrorCode.INVALID_RESPONSE),
                arguments(
                        OK + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                        Next.KEEP,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        OK + "Transfer-Encoding: gzip\r\n\r\nab",
                        Next.CLOSE,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        OK + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
                        Next.KEEP,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        OK + "A: " + "a".repeat(1 << 20) + "\r\n\r\n",
                        Next.KEEP,
                        ErrorCode.INVALID_RESPONSE),
                arguments(
                        OK + ("A: " + "a".repeat(8000) + "\r\n").repeat(9) + "\r\n",
                        Next.KEEP,
                        ErrorCode.INVALID_RESPONSE),
                arguments(OK + "A: b\r\n".repeat(101), Next.STALL, ErrorCode.INVALID_RESPONSE),
                arguments(
                        "HTTP/1.1 103 Early\r\n\r\n".repeat(1000),
                        Next.STALL,
                        ErrorCode.INVALID_RESPONSE));
    }

    @ParameterizedTest
    @MethodSource
    void what_breaks_off_or_is_no_answer(String bytes, Next next, ErrorCode code) {
        receiver.will(new Say(bytes, next));

        var outcome = sent(Duration.ofSeconds(5));

        assertUnreachable(outcome, code);
        assertThat(outcome.latency()).isLessThan(Duration.ofSeconds(2));
        assertThat(receiver.requests()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                101, 104, 199, 200, 204, 205, 299, 301, 302, 304, 307, 400, 401, 408, 410, 421, 429,
                500, 503, 599
            })
    void every_status_is_an_answer_to_one_request(int status) {
        receiver.will(
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
        String last = OK + "Content-Length: 2\r\n\r\nok";
        receiver.will(new Say("HTTP/1.1 100 C\r\n\r\n" + early + working + last, Next.KEEP));

        assertThat(answered(sent(Duration.ofSeconds(5))).body()).isEqualTo("ok");
    }

    @Test
    void a_late_answer_in_time_is_an_answer() {
        receiver.will(new Late(Duration.ofMillis(150), answer(200, "late")));

        var answered = answered(sent(Duration.ofSeconds(5)));

        assertThat(answered.body()).isEqualTo("late");
        assertThat(answered.latency()).isGreaterThan(Duration.ofMillis(149));
    }

    @Test
    void of_an_endless_body_the_beginning_is_kept() {
        receiver.will(
                new Drip(OK + "\r\n", "0123456789".repeat(1000), Duration.ofMillis(1)),
                answer(200, ""));

        var answered = answered(sent(Duration.ofSeconds(5)));

        assertThat(answered.body()).hasSize(4096).startsWith("0123456789");
        assertThat(answered.latency()).isLessThan(Duration.ofSeconds(2));
        assertThat(answered(sent(SHORT)).body()).isEmpty();
        assertThat(receiver.connections()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"4095, 1", "4096, 1", "4097, 1", "65536, 1", "65537, 2", "10000000, 2"})
    void a_connection_is_kept_for_the_next_attempt_when_the_rest_is_worth_reading(
            int length, int connections) {
        receiver.will(answer(200, "a".repeat(length)));

        assertThat(answered(sent(SHORT)).body()).hasSize(Math.min(length, 4096));
        assertThat(answered(sent(SHORT)).body()).hasSize(Math.min(length, 4096));
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
        receiver.will(new Say(bytes, Next.KEEP), answer(202, "mine"));

        answered(sent(SHORT));
        var second = answered(sent(SHORT));

        assertThat(second.status()).isEqualTo(202);
        assertThat(second.body()).isEqualTo("mine");
        assertThat(receiver.connections()).isEqualTo(2);
    }

    @Test
    void an_ordinary_204_keeps_the_connection() {
        receiver.will(new Say("HTTP/1.1 204 No Content\r\n\r\n", Next.KEEP));

        answered(sent(SHORT));
        answered(sent(SHORT));

        assertThat(receiver.connections()).isEqualTo(1);
    }

    @Test
    void bytes_that_come_unasked_between_attempts_are_no_answer() {
        receiver.will(new Say(OK + "Content-Length: 0\r\n\r\n", Next.KEEP), answer(202, "mine"));
        answered(sent(SHORT));
        receiver.shout("HTTP/1.1 200 Unasked\r\nContent-Length: 0\r\n\r\n");

        assertThat(answered(sent(SHORT)).status()).isEqualTo(202);
        assertThat(receiver.connections()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"CLOSE, 1", "RESET, 1"})
    void a_connection_that_died_idle_is_replaced_within_the_attempt(Next next, int seen) {
        receiver.will(new Say(OK + "Content-Length: 0\r\n\r\n", next), answer(202, ""));
        answered(sent(SHORT));

        assertThat(answered(sent(SHORT)).status()).isEqualTo(202);
        assertThat(receiver.requests()).hasSize(1 + seen);
    }

    @Test
    void a_reused_connection_that_dies_unheard_is_tried_once_more_and_only_once() {
        receiver.will(answer(200, ""), new Say("", Next.CLOSE));
        answered(sent(SHORT));

        assertUnreachable(sent(SHORT), ErrorCode.CONNECTION_RESET);

        assertThat(receiver.requests())
                .extracting(Receiver.Received::connection)
                .containsExactly(1, 1, 2);
    }

    @Test
    void a_reused_connection_that_dies_after_its_first_byte_is_not_tried_again() {
        receiver.will(answer(200, ""), new Say(OK, Next.CLOSE));
        answered(sent(SHORT));

        assertUnreachable(sent(SHORT), ErrorCode.CONNECTION_RESET);
        assertThat(receiver.requests()).hasSize(2);
    }

    @Test
    void running_out_of_time_on_a_reused_connection_is_not_tried_again() {
        receiver.will(answer(200, ""), new Say("", Next.STALL));
        answered(sent(SHORT));

        assertUnreachable(sent(SHORT), ErrorCode.RESPONSE_TIMEOUT);
        assertThat(receiver.requests()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "Content-Encoding: bogus, plain",
        "Content-Encoding: gzip, not gzip at all",
        "Content-Type: text/plain; charset=utf-16, plain"
    })
    void bodies_are_not_unpacked(String header, String body) {
        receiver.will(answer(200, body, header));

        assertThat(answered(sent(SHORT)).body()).isEqualTo(body);
    }

    @ParameterizedTest
    @CsvSource({
        "'a\u0000b', 'a\ufffdb'",
        "'\u00c3\u00a9', \u00e9",
        "'\u00ff\u00fe', '\ufffd\ufffd'",
        "'\u00ed\u00a0\u0080', \ufffd"
    })
    void bodies_are_text_that_a_database_takes(String bytes, String text) {
        receiver.will(answer(200, bytes));

        assertThat(answered(sent(SHORT)).body()).isEqualTo(text);
    }

    @Test
    void a_character_cut_by_the_limit_is_left_out() {
        receiver.will(answer(200, "a".repeat(4095) + "\u00c3\u00a9 and more"));

        assertThat(answered(sent(SHORT)).body()).isEqualTo("a".repeat(4095));
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
        receiver.will(answer(503, "", "Retry-After: " + value));

        assertThat(answered(sent(SHORT)).retryAfter()).contains(wait);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5", "soon", "\u0663"})
    void what_is_no_retry_after_is_none(String value) {
        receiver.will(answer(503, "", "Retry-After: " + value));

        assertThat(answered(sent(SHORT)).retryAfter()).isEmpty();
    }

    @Test
    void the_request_is_what_was_asked_for_byte_by_byte() {
        var parcel =
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
                                new Auth.ApiKey("X-Key", new Secret("k"))),
                        Body.of(new byte[] {0, (byte) 0xff, '\r', '\n'}));

        answered(send(parcel));

        var request = receiver.requests().getFirst();
        assertThat(request.line()).isEqualTo("POST /hook/a//b?c=[%41]&d HTTP/1.1");
        assertThat(request.headers())
                .containsExactly(
                        "Host: 127.0.0.1:" + receiver.port(),
                        "Content-Length: 4",
                        "content-type: application/x-Thing",
                        "X-b: 1",
                        "x-A: \u0080\u009f\u00ff\ttab",
                        "X-b: 2",
                        "X-Custom: evil  Injected: yes",
                        "X-Service-Event-Id: 0190a5c4-0000-7000-8000-000000000000",
                        "X-Service-Delivery-Id: 0190a5c4-0000-7000-8000-000000000001",
                        "X-Service-Attempt: 1",
                        "X-Service-Hop: 1",
                        "X-Key: k");
        assertThat(request.body()).isEqualTo("\0\u00ff\r\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8191, 8192, 100_000, 2_000_000})
    void bodies_of_any_size_arrive(int size) {
        var bytes = new byte[size];

        answered(send(withBody(to(receiver.url()), Body.of(bytes))));

        assertThat(receiver.requests().getFirst().body()).hasSize(size);
        assertThat(receiver.requests().getFirst().values("Content-Length"))
                .containsExactly(Integer.toString(size));
    }

    /// One that reads on as it should, and one that resets the connection.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_answer_before_the_body_was_sent_is_the_answer(boolean readsOn) throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            Thread.ofVirtual().start(() -> refuseEarly(server, readsOn));
            var parcel =
                    withBody(
                            to("http://127.0.0.1:" + server.getLocalPort() + "/"),
                            Body.of(new byte[8 << 20]));

            assertThat(answered(send(parcel)).status()).isEqualTo(413);
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
            // The sender went away.
        }
    }

    @Test
    void a_redirect_to_a_private_address_is_not_followed() throws IOException {
        try (var inside = Receiver.start()) {
            receiver.will(answer(307, "", "Location: " + inside.url()));

            assertThat(answered(sent(Duration.ofSeconds(5))).status()).isEqualTo(307);
            assertThat(inside.connections()).isZero();
            assertThat(receiver.requests()).hasSize(1);
        }
    }

    @Test
    void a_reset_on_accept_is_a_reset() {
        receiver.will(new OnAccept(Next.RESET));

        assertUnreachable(sent(SHORT), ErrorCode.CONNECTION_RESET);
        assertThat(receiver.connections()).isEqualTo(1);
    }

    @Test
    void nobody_listening_is_a_refused_connection() throws IOException {
        // Bound and not listening: nobody else gets the port meanwhile.
        try (var taken = new Socket()) {
            taken.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            var parcel = withTimeout(to("http://127.0.0.1:" + taken.getLocalPort() + "/"), SHORT);

            var outcome = (Unreachable) send(parcel);

            assertThat(outcome.code()).isEqualTo(ErrorCode.CONNECT_REFUSED);
            assertThat(outcome.detail()).isEqualTo("Connection refused");
        }
    }

    @Test
    void a_host_that_does_not_take_the_connection_is_a_connect_timeout() throws IOException {
        try (var full = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            var queue = fill(full);

            var outcome = send(withTimeout(to("http://127.0.0.1:" + full.getLocalPort()), SHORT));

            assertUnreachable(outcome, ErrorCode.CONNECT_TIMEOUT);
            assertThat(((Unreachable) outcome).detail()).isEqualTo("No connection within 400 ms");
            assertThat(outcome.latency()).isBetween(SHORT, SHORT.plus(GRACE));
            for (var socket : queue) {
                socket.close();
            }
        }
    }

    /// Connections that nobody accepts, until the queue takes no more.
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
        receiver.will(new OnAccept(Next.STALL));

        var outcome = send(withTimeout(to("https://127.0.0.1:" + receiver.port() + "/"), SHORT));

        assertUnreachable(outcome, ErrorCode.TLS_FAILED);
        assertThat(outcome.latency()).isBetween(SHORT.minusMillis(1), SHORT.plus(GRACE));
    }

    @Test
    void plain_http_on_a_tls_port_is_a_tls_failure() {
        receiver.will(new OnAccept(Next.CLOSE));

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
                        withTimeout(to(receiver.url()), SHORT),
                        () -> {
                            long start = System.nanoTime();
                            while (System.nanoTime() - start < SHORT.toNanos()) {
                                Thread.onSpinWait();
                            }
                            return true;
                        });

        assertUnreachable(outcome, ErrorCode.CONNECT_TIMEOUT);
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void a_name_that_does_not_resolve_is_a_dns_failure() {
        var outcome = (Unreachable) send(to("http://nowhere.example/"));

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
            var outcome = hanging.send(withTimeout(to("http://slow.example/"), SHORT), () -> true);

            assertUnreachable(outcome, ErrorCode.DNS_FAILURE);
            assertThat(outcome.latency()).isBetween(SHORT, SHORT.plus(GRACE));
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
        lookup.says("inside.example", "127.0.0.1").says("mixed.example", "8.8.8.8", "127.0.0.1");

        try (var guarded = sender()) {
            var port = Integer.toString(receiver.port());
            var outcome = (Unreachable) guarded.send(to(url.replace("PORT", port)), () -> true);

            assertThat(outcome.code()).isEqualTo(ErrorCode.BLOCKED_ADDRESS);
            assertThat(outcome.detail())
                    .doesNotContain("127.0.0.1")
                    .contains("SLUICE_ALLOW_PRIVATE_DESTINATIONS");
            assertThat(receiver.connections()).isZero();
        }
    }

    @Test
    void a_name_that_turns_private_between_attempts_is_blocked_although_a_connection_is_open() {
        lookup.says("turning.example", "127.0.0.1").says("turning.example", "10.0.0.1");
        var parcel = to("http://turning.example:" + receiver.port() + "/");

        answered(send(parcel));

        assertUnreachable(send(parcel), ErrorCode.BLOCKED_ADDRESS);
        assertThat(receiver.connections()).isEqualTo(1);
    }

    @Test
    void the_next_address_is_tried_when_one_does_not_take_the_connection() {
        lookup.says("two.example", "127.0.0.2", "127.0.0.1");

        var outcome = send(to("http://two.example:" + receiver.port() + "/"));

        assertThat(answered(outcome).status()).isEqualTo(200);
        assertThat(receiver.requests().getFirst().values("Host"))
                .containsExactly("two.example:" + receiver.port());
    }

    @Test
    void the_host_name_goes_out_as_given_and_without_the_usual_port() {
        lookup.says("xn--bcher-kva.example", "127.0.0.1");

        send(to("http://B\u00fccher.example.:" + receiver.port() + "/"));

        assertThat(receiver.requests().getFirst().values("Host"))
                .containsExactly("xn--bcher-kva.example:" + receiver.port());
    }

    @Test
    void the_machines_own_resolver_finds_localhost_where_loopback_is_opened() {
        try (var system = open(Lookup.system(), "127.0.0.0/8")) {
            var outcome = system.send(to("http://localhost:" + receiver.port() + "/"), () -> true);

            assertThat(answered(outcome).status()).isEqualTo(200);
        }
    }

    /// To an address of the documentation range, because the JDK spares loopback its proxies.
    @Test
    void a_proxy_in_the_environment_is_not_asked() throws IOException {
        try (var proxy = Receiver.start();
                var documented = sender("203.0.113.0/24")) {
            System.setProperty("socksProxyHost", "127.0.0.1");
            System.setProperty("socksProxyPort", Integer.toString(proxy.port()));

            documented.send(withTimeout(to("http://203.0.113.1/"), SHORT), () -> true);

            assertThat(proxy.connections()).isZero();
        } finally {
            System.clearProperty("socksProxyHost");
            System.clearProperty("socksProxyPort");
        }
    }

    @Test
    void closing_ends_what_is_under_way_as_interrupted() throws Exception {
        receiver.will(new Say(OK, Next.STALL));
        var outcome = new FutureTask<>(() -> sent(Duration.ofMinutes(1)));
        Thread.ofVirtual().start(outcome);
        while (receiver.requests().isEmpty()) {
            Thread.onSpinWait();
        }

        sender.close();

        assertUnreachable(outcome.get(), ErrorCode.INTERRUPTED);
        assertUnreachable(sent(SHORT), ErrorCode.INTERRUPTED);
    }

    private Outcome send(Parcel parcel) {
        return sender.send(parcel, () -> true);
    }

    private Outcome sent(Duration timeout) {
        return send(withTimeout(to(receiver.url()), timeout));
    }

    private static Answered answered(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Answered.class);
        return (Answered) outcome;
    }

    private static void assertUnreachable(Outcome outcome, ErrorCode code) {
        assertThat(outcome).isInstanceOf(Unreachable.class);
        assertThat(((Unreachable) outcome).code()).as(outcome.toString()).isEqualTo(code);
    }

    private HttpSender sender(String... allowed) {
        return open(lookup, allowed);
    }

    private static HttpSender open(Lookup lookup, String... allowed) {
        var policy = AddressPolicy.allowing(Stream.of(allowed).map(Cidr::parse).toList());
        try {
            return HttpSender.open(
                    new Resolver(lookup, policy, Duration.ZERO),
                    new Connections(SSLContext.getDefault(), 64),
                    new OutgoingHeaders("X-Service"),
                    InstantSource.fixed(NOW));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
