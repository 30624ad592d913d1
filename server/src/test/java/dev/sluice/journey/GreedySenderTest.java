package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.RawHttp.RawHttpResponse;
import dev.sluice.testkit.RawHttpConnection;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// Tests that a sender whose requests never end takes the memory for arriving requests from nobody
/// else.
class GreedySenderTest {

    private static final int NEIGHBOUR_REQUESTS = 20;
    private static final String AS_MANAGEMENT =
            "Content-Type: application/json\r\nAuthorization: Bearer "
                    + RunningSluice.API_KEY
                    + "\r\n";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    private final List<RawHttpConnection> unfinished = new ArrayList<>();

    @AfterEach
    void closeUnfinished() {
        unfinished.forEach(RawHttpConnection::close);
    }

    @Test
    void bodies_that_never_end_leave_room_for_every_other_source_and_for_management() {
        String greedy = api.source("greedy").text("ingest_path");
        sendUnfinishedBodies(greedy, 137, 1 << 20);
        sendUnfinishedBodies(greedy, 90, 100_000); // fill what is left
        sendUnfinishedBodies(greedy, 200, 2_000);

        assertNeighboursAreServed();

        isRefusedWithRetryAfter(answered(), 429, "rate_limited");
    }

    @Test
    void bodies_to_many_sources_of_one_workspace_leave_room_for_its_other_sources() {
        IntStream.range(0, 30)
                .mapToObj(i -> api.source("greedy").text("ingest_path"))
                .forEach(path -> {
                    sendUnfinishedBodies(path, 6, 1 << 20);
                    sendUnfinishedBodies(path, 6, 100_000);
                });

        assertNeighboursAreServed();

        isRefusedWithRetryAfter(answered(), 429, "rate_limited");
    }

    /// Only heads that arrive in pieces share the memory, so the neighbour's does too.
    @Test
    void heads_that_never_end_leave_room_for_others() {
        String path = api.source("other").text("ingest_path");
        for (int i = 0; i < 600; i++) {
            send("POST /in/x HTTP/1.1\r\nHost: h\r\nX: " + "x".repeat(31_000));
        }

        for (int i = 0; i < NEIGHBOUR_REQUESTS; i++) {
            String post = head(path, 5, "X: " + "x".repeat(8_000) + "\r\n") + "hello";
            assertThat(sendInTwo(post, 4_000).status()).isEqualTo(200);
        }

        isRefusedWithRetryAfter(answered(), 503, "unavailable");
    }

    private static void assertNeighboursAreServed() {
        var stranger = WorkspaceFixture.create(sluice, "business");
        String ofStranger = stranger.source("other").text("ingest_path");
        String path = api.source("other").text("ingest_path");
        for (int i = 0; i < NEIGHBOUR_REQUESTS; i++) {
            assertThat(postInTwo(path, "x".repeat(2_000), "")).isEqualTo(200);
            assertThat(postInTwo(path, "x".repeat(300_000), "")).isEqualTo(200);
            assertThat(postInTwo(ofStranger, "x".repeat(1 << 20), "")).isEqualTo(200);
            assertThat(postInTwo("/in/nobody", "x".repeat(2_000), "")).isEqualTo(404);
            String json = "{\"name\": \"s\"}" + " ".repeat(100_000);
            assertThat(postInTwo("/api/v1/sources/", json, AS_MANAGEMENT)).isEqualTo(201);
        }
    }

    /// Sends bodies that lack their last byte.
    private void sendUnfinishedBodies(String path, int count, int bytes) {
        String most = head(path, bytes, "") + "x".repeat(bytes - 1);
        IntStream.range(0, count).forEach(_ -> send(most));
    }

    private void send(String bytes) {
        var connection = RawHttpConnection.open(sluice.port());
        unfinished.add(connection);
        connection.send(bytes);
    }

    private List<RawHttpResponse> answered() {
        return unfinished.stream()
                .filter(RawHttpConnection::hasMore)
                .map(RawHttpConnection::read)
                .toList();
    }

    private static void isRefusedWithRetryAfter(
            List<RawHttpResponse> replies, int status, String code) {
        assertThat(replies)
                .isNotEmpty()
                .allSatisfy(reply -> {
                    assertThat(reply.status()).isEqualTo(status);
                    assertThat(reply.body()).contains("\"code\":\"" + code + "\"");
                    assertThat(reply.values("Retry-After")).containsExactly("1");
                });
    }

    /// Sends a body so that the server has to wait for its second part, and returns the status.
    private static int postInTwo(String path, String body, String headers) {
        String request = head(path, body.length(), headers) + body;
        return sendInTwo(request, request.length() - body.length() / 2).status();
    }

    private static RawHttpResponse sendInTwo(String request, int firstPart) {
        try (var connection = RawHttpConnection.open(sluice.port())) {
            connection.send(request.substring(0, firstPart));
            connection.send(request.substring(firstPart));
            return connection.read();
        }
    }

    private static String head(String path, int length, String headers) {
        return "POST %s HTTP/1.1\r\nHost: h\r\n%sContent-Length: %d\r\n\r\n"
                .formatted(path, headers, length);
    }
}
