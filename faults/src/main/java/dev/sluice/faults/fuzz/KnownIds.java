package dev.sluice.faults.fuzz;

import dev.sluice.contract.ApiOperation;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.random.RandomGenerator;

/// The newest ids of each kind on the relay, learned from its answers. Thread-safe.
public final class KnownIds {

    private static final int MAX_IDS_PER_KIND = 40;

    private final Map<String, List<String>> byKind = new HashMap<>();
    private final Map<String, String> tokens = new HashMap<>();

    /// An id of this kind (`source`, `destination`, `connection`, `event`, `token`), or a new UUID
    /// when none is known.
    synchronized String anyId(String kind, RandomGenerator random) {
        var ids = byKind.getOrDefault(kind, List.of());
        return ids.isEmpty()
                ? new UUID(random.nextLong(), random.nextLong()).toString()
                : ids.get(random.nextInt(ids.size()));
    }

    /// Takes up what an answer of 2xx tells.
    synchronized void learn(ApiOperation operation, String path, JsonNode json) {
        switch (operation.id()) {
            case "createSource" -> {
                add("source", json.path("id"));
                add("token", json.path("token"));
                tokens.put(json.path("id").asString(), json.path("token").asString());
            }
            case "createDestination" -> add("destination", json.path("id"));
            case "createConnection" -> add("connection", json.path("id"));
            case "deleteSource", "deleteDestination", "deleteConnection" -> remove(path);
            default -> add("event", json.path("request_id"));
        }
    }

    private void add(String kind, JsonNode id) {
        if (id.isString()) {
            var ids = byKind.computeIfAbsent(kind, _ -> new ArrayList<>());
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
