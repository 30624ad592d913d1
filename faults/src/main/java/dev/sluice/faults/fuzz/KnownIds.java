package dev.sluice.faults.fuzz;

import dev.sluice.contract.ApiOperation;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.random.RandomGenerator;

/// The newest ids of each kind of object on the relay, as learned from the relay's responses.
/// Thread-safe.
public final class KnownIds {

    private static final int MAX_IDS_PER_KIND = 40;

    private final Map<String, List<String>> byKind = new HashMap<>();
    private final Map<String, String> tokens = new HashMap<>();

    /// The kind of object in each collection, keyed by the collection's path.
    private static final Map<String, String> KINDS_BY_COLLECTION =
            Map.of(
                    "/api/v1/sources", "source",
                    "/api/v1/destinations", "destination",
                    "/api/v1/connections", "connection",
                    "/api/v1/events", "event",
                    "/api/v1/deliveries", "delivery",
                    "/api/v1/replays", "replay",
                    "/api/v1/alert-configs", "alert",
                    "/api/v1/workspaces", "workspace",
                    "/api/v1/workspaces/{id}/members", "user",
                    "/api/v1/workspaces/{id}/invites", "invite");

    /// Returns the kind of object that `{id}` identifies in a path template, such as `source`.
    /// Returns an empty string if ids of that kind are never learned.
    static String kindOfId(String path) {
        return KINDS_BY_COLLECTION.getOrDefault(path.replaceFirst("/\\{id}.*", ""), keyKind(path));
    }

    private static String keyKind(String path) {
        return path.startsWith("/api/v1/api-keys") ? "key" : "";
    }

    /// Returns a known id of this kind, or a new UUID if none is known. `kind` is a result of
    /// [#kindOfId], the name of an id field without `_id`, or `token`.
    synchronized String anyId(String kind, RandomGenerator random) {
        var ids = byKind.getOrDefault(kind, List.of());
        return ids.isEmpty()
                ? new UUID(random.nextLong(), random.nextLong()).toString()
                : ids.get(random.nextInt(ids.size()));
    }

    /// Learns the ids in a 2xx response, and forgets the id of a deleted object. Learns the id of
    /// an API key only from the response to the request that created the key: a list of keys also
    /// contains the key that the run is using, which later requests must not delete.
    synchronized void learn(ApiOperation operation, String path, JsonNode json) {
        if (operation.method().equals("DELETE") && operation.path().endsWith("}")) {
            remove(path);
            return;
        }
        String kind = KINDS_BY_COLLECTION.getOrDefault(operation.path(), "");
        if (!kind.isEmpty()) {
            add(kind, json.path("id"));
            for (var item : json.path("items")) {
                add(kind, item.path(kind.equals("user") ? "user_id" : "id"));
            }
        }
        switch (operation.id()) {
            case "createSource" -> {
                add("token", json.path("token"));
                tokens.put(json.path("id").asString(), json.path("token").asString());
            }
            case "createApiKey" -> add("key", json.path("id"));
            case "resendDeadLetters", "resendDeliveries" -> add("replay", json.path("replay_id"));
            default -> add("event", json.path("request_id"));
        }
    }

    private void add(String kind, JsonNode id) {
        if (id.isString()) {
            var ids = byKind.computeIfAbsent(kind, _ -> new ArrayList<>());
            ids.remove(id.stringValue());
            ids.add(id.stringValue());
            if (ids.size() > MAX_IDS_PER_KIND) {
                ids.removeFirst();
            }
        }
    }

    private void remove(String path) {
        String id = path.substring(path.lastIndexOf('/') + 1);
        byKind.values().forEach(ids -> ids.remove(id));
        String token = tokens.remove(id);
        byKind.values().forEach(ids -> ids.removeIf(one -> one.equals(token)));
    }
}
