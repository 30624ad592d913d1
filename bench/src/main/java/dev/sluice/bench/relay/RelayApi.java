package dev.sluice.bench.relay;

import dev.sluice.bench.platform.BenchJson;
import dev.sluice.bench.platform.SimpleHttpClient;

import tools.jackson.databind.JsonNode;

import java.io.UncheckedIOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A client for the part of the relay's management API that the scenarios and the `faults` module
/// need.
public final class RelayApi {

    /// Short retry intervals, so that deliveries interrupted by a crash arrive before the run ends.
    public static final List<Integer> RETRY_SECONDS = List.of(1, 2, 3, 5, 5, 5, 5, 5, 5, 5);

    /// The email address of the first workspace's owner. Every relay that is started for a scenario
    /// uses it.
    public static final String OWNER_EMAIL = "owner@example.com";

    public static final String OWNER_PASSWORD = "a-password-for-benches";

    private final URI base;
    private final String key;

    public RelayApi(URI base, String key) {
        this.base = base;
        this.key = key;
    }

    public URI base() {
        return base;
    }

    public String key() {
        return key;
    }

    /// A source's id and ingest address.
    public record BenchSource(String id, URI ingest) {}

    public boolean isUp() {
        try {
            return SimpleHttpClient.get(base.resolve("/api/v1/status")).statusCode() == 200;
        } catch (UncheckedIOException down) {
            return false;
        }
    }

    public BenchSource createSource(String name) {
        return createSource(name, Map.of());
    }

    /// @param more additional fields of the source
    public BenchSource createSource(String name, Map<String, Object> more) {
        var fields = new HashMap<String, Object>(more);
        fields.put("name", name);
        var created = send("POST", "sources/", fields, 201);
        return new BenchSource(
                created.path("id").asString(),
                base.resolve(created.path("ingest_path").asString()));
    }

    /// Creates a source that is connected to a new destination at `url`.
    public BenchSource createConnectedSource(String name, URI url, int maxInFlight) {
        var source = createSource(name);
        connect(source, name + " sink", url, maxInFlight);
        return source;
    }

    /// Connects the source to a new destination at `url`, and returns the connection's id.
    public String connect(BenchSource source, String name, URI url, int maxInFlight) {
        return connect(source, createDestination(name, url, maxInFlight, RETRY_SECONDS), Map.of());
    }

    /// Creates a destination and returns its id.
    ///
    /// @param retrySeconds the intervals between the attempts at a delivery
    public String createDestination(
            String name, URI url, int maxInFlight, List<Integer> retrySeconds) {
        var fields = new HashMap<String, Object>(Map.of("name", name, "url", url.toString()));
        fields.put("max_in_flight", maxInFlight);
        fields.put("retry_policy", Map.of("intervals_seconds", retrySeconds));
        return send("POST", "destinations/", fields, 201).path("id").asString();
    }

    /// Creates a connection and returns its id.
    ///
    /// @param more additional fields of the connection
    public String connect(BenchSource source, String destination, Map<String, Object> more) {
        var fields = new HashMap<String, Object>(more);
        fields.put("source_id", source.id());
        fields.put("destination_id", destination);
        return send("POST", "connections/", fields, 201).path("id").asString();
    }

    /// Pauses (`paused`) or resumes (`active`) a destination.
    public void setStatus(String destination, String status) {
        send("PATCH", "destinations/" + destination, Map.of("status", status), 200);
    }

    /// Sends a GET request to a path relative to `/api/v1/` and returns the body of the response,
    /// whose status must be 200.
    public JsonNode get(String path) {
        return send("GET", path, Map.of(), 200);
    }

    /// Sends a POST request to a path relative to `/api/v1/` and returns the body of the response,
    /// whose status must be `expected`.
    public JsonNode post(String path, Map<String, Object> fields, int expected) {
        return send("POST", path, fields, expected);
    }

    /// Sends a small event to the source, and returns whether the relay accepted and stored it.
    public boolean accepts(BenchSource source) {
        try {
            return SimpleHttpClient.post(source.ingest(), "", "{\"probe\":true}").statusCode()
                    == 200;
        } catch (UncheckedIOException down) {
            return false;
        }
    }

    /// Returns the same source, but with its ingest address on this relay. The source may have been
    /// created through another relay that uses the same database.
    public BenchSource sourceHere(BenchSource source) {
        return new BenchSource(source.id(), base.resolve(source.ingest().getPath()));
    }

    private JsonNode send(String method, String path, Map<String, Object> fields, int expected) {
        var answer =
                SimpleHttpClient.send(
                        method,
                        base.resolve("/api/v1/" + path),
                        "Bearer " + key,
                        BenchJson.compact(fields));
        if (answer.statusCode() != expected) {
            throw new IllegalStateException(
                    "%s %s was answered with %d: %s"
                            .formatted(method, path, answer.statusCode(), answer.body()));
        }
        return BenchJson.MAPPER.readTree(answer.body());
    }
}
