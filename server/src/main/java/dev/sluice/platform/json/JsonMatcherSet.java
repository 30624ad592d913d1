package dev.sluice.platform.json;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/// A set of JSON values that can tell whether it contains a payload's value. [JsonMatcher] defines
/// which values are equal.
///
/// If the set has a value of the same type, `contains` computes a hash of the payload's value, in
/// time proportional to the length of the value's text. It then compares the value only with those
/// in the set that have the same hash. Immutable.
public final class JsonMatcherSet {

    /// A random factor that makes hashes differ from process to process, so that senders cannot
    /// predict which strings have the same hash.
    private static final long FACTOR = ThreadLocalRandom.current().nextLong() | 1;

    private final Set<JsonValue.JsonType> types = EnumSet.noneOf(JsonValue.JsonType.class);
    private final Map<Long, List<JsonMatcher>> byHash = new HashMap<>();

    private JsonMatcherSet() {}

    public static JsonMatcherSet of(List<JsonValue> values) {
        var set = new JsonMatcherSet();
        for (var value : values) {
            set.types.add(value.type());
            set.byHash
                    .computeIfAbsent(hash(value), _ -> new ArrayList<>())
                    .add(JsonMatcher.of(value));
        }
        return set;
    }

    /// @throws EffortSpentException if the effort of the value's document is used up
    public boolean contains(JsonValue value) {
        if (!types.contains(value.type())) {
            return false;
        }
        for (var candidate : byHash.getOrDefault(hash(value), List.of())) {
            if (candidate.matches(value)) {
                return true;
            }
        }
        return false;
    }

    private static long hash(JsonValue value) {
        value.effort().spend(Effort.VISIT_COST);
        long own =
                switch (value.type()) {
                    case NULL -> 0;
                    case BOOLEAN -> value.bool().orElseThrow() ? 1 : 2;
                    case STRING -> hashString(value);
                    case NUMBER -> value.number().map(JsonNumber::hashCode).orElse(0);
                    case ARRAY -> hashElements(value);
                    case OBJECT -> hashMembers(value);
                };
        return mix(own + value.type().name().hashCode());
    }

    private static long hashString(JsonValue value) {
        var reader = value.stringReader();
        long hash = 0;
        for (int next = reader.next(); next >= 0; next = reader.next()) {
            hash = FACTOR * hash + next;
        }
        return hash;
    }

    private static long hashElements(JsonValue value) {
        var left = value.children();
        long hash = 0;
        while (left.hasNext()) {
            hash = FACTOR * hash + hash(left.next());
        }
        return hash;
    }

    /// Returns a hash that does not depend on the order of the members. If several members have the
    /// same name, the last one counts.
    private static long hashMembers(JsonValue value) {
        value.effort().spend(JsonMatcher.MAP_COST);
        var last = new HashMap<String, Long>();
        var left = value.children();
        while (left.hasNext()) {
            value.effort().spend(JsonMatcher.MAP_COST);
            var name = left.next();
            last.put(name.string().orElseThrow(), mix(hash(name)) + hash(left.next()));
        }
        return last.values().stream().mapToLong(JsonMatcherSet::mix).sum();
    }

    private static long mix(long hash) {
        long mixed = (hash ^ hash >>> 32) * FACTOR;
        return mixed ^ mixed >>> 29;
    }
}
