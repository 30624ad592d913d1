package dev.sluice.bench.relay;

import dev.sluice.bench.platform.Http;
import dev.sluice.bench.platform.Json;

import tools.jackson.databind.JsonNode;

import java.io.UncheckedIOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The part of the relay's management API that a scenario needs.
public final class Api {

    /// Short, so that what a crash interrupts comes back while the run lasts.
    private static final List<Integer> RETRIES = List.of(1, 2, 3, 5, 5, 5, 5, 5, 5, 5);

    private final URI base;
    private final String key;

    public Api(URI base, String key) {
        this.base = base;
        this.key = key;
    }

    public URI base() {
        return base;
    }

    public String key() {
        return key;
    }

    /// A source, by its id and the address that takes its events.
    public record Source(String id, URI ingest) {}

    public boolean isUp() {
        try {
            return Http.get(base.resolve("/api/v1/status")).statusCode() == 200;
        } catch (UncheckedIOException down) {
            return false;
        }
    }

    public Source source(String name) {
        return source(name, Map.of());
    }

    /// @param more fields than its name
    public Source source(String name, Map<String, Object> more) {
        var fields = new HashMap<String, Object>(more);
        fields.put("name", name);
        JsonNode made = create("/api/v1/sources/", fields);
        return new Source(
                made.path("id").asString(), base.resolve(made.path("ingest_path").asString()));
    }

    /// A new destination at `url`, connected to the source. The connection's id.
    public String connect(Source source, String name, URI url, int maxInFlight) {
        return connect(source, name, url, maxInFlight, Map.of());
    }

    /// @param more fields of the connection
    public String connect(
            Source source, String name, URI url, int maxInFlight, Map<String, Object> more) {
        String destination =
                destination(
                        name,
                        url,
                        Map.of(
                                "max_in_flight",
                                maxInFlight,
                                "retry_policy",
                                Map.of("intervals_seconds", RETRIES)));
        return connect(source, destination, more);
    }

    /// A new destination's id.
    ///
    /// @param more fields than its name and its address
    public String destination(String name, URI url, Map<String, Object> more) {
        var fields = new HashMap<String, Object>(more);
        fields.put("name", name);
        fields.put("url", url.toString());
        return create("/api/v1/destinations/", fields).path("id").asString();
    }

    /// A new connection's id.
    ///
    /// @param more fields of the connection
    public String connect(Source source, String destination, Map<String, Object> more) {
        var fields = new HashMap<String, Object>(more);
        fields.put("source_id", source.id());
        fields.put("destination_id", destination);
        return create("/api/v1/connections/", fields).path("id").asString();
    }

    /// Changes what a path below `/api/v1/` names.
    public void change(String path, Map<String, Object> fields) {
        var answer =
                Http.patch(base.resolve("/api/v1/" + path), "Bearer " + key, Json.line(fields));
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(
                    "PATCH %s answered %d: %s".formatted(path, answer.statusCode(), answer.body()));
        }
    }

    /// What a path below `/api/v1/` answers; it must be a 200.
    public JsonNode read(String path) {
        var answer = Http.get(base.resolve("/api/v1/" + path), "Bearer " + key);
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(
                    "GET %s answered %d: %s".formatted(path, answer.statusCode(), answer.body()));
        }
        return Json.MAPPER.readTree(answer.body());
    }

    /// Whether an event can be stored right now; one is.
    public boolean accepts(Source source) {
        try {
            return Http.post(source.ingest(), "", "{\"probe\":true}").statusCode() == 200;
        } catch (UncheckedIOException down) {
            return false;
        }
    }

    /// The same source, asked through this relay.
    public Source here(Source source) {
        return new Source(source.id(), base.resolve(source.ingest().getPath()));
    }

    private JsonNode create(String path, Map<String, Object> body) {
        var answer = Http.post(base.resolve(path), "Bearer " + key, Json.line(body));
        if (answer.statusCode() != 201) {
            throw new IllegalStateException(
                    "POST %s answered %d: %s".formatted(path, answer.statusCode(), answer.body()));
        }
        return Json.MAPPER.readTree(answer.body());
    }
}
