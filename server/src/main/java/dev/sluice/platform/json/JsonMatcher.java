package dev.sluice.platform.json;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Compares values from payloads with one given value. Numbers are compared by value and strings
/// after unescaping. Arrays are compared element by element, and objects member by member in any
/// order.
///
/// The given value is decoded once. The time for a comparison is at most proportional to the length
/// of the other value's text. Immutable.
public final class JsonMatcher {

    /// The effort spent on creating a map, and again on adding each entry to it.
    static final int MAP_COST = 64;

    private final JsonValue.JsonType type;
    private final boolean isTrue;
    private final Optional<JsonText> string;
    private final Optional<JsonNumber> number;
    private final List<JsonMatcher> elements;
    private final Map<String, JsonMatcher> members;

    private JsonMatcher(JsonValue json) {
        type = json.type();
        isTrue = json.bool().orElse(false);
        string = json.string().map(JsonText::of);
        number = json.number();
        elements = json.elements().stream().map(JsonMatcher::of).toList();
        var inner = new HashMap<String, JsonMatcher>();
        json.members().forEach((name, value) -> inner.put(name, of(value)));
        members = Map.copyOf(inner);
    }

    public static JsonMatcher of(JsonValue json) {
        return new JsonMatcher(json);
    }

    /// Whether the other value equals the given one. A number that `JsonNumber.read` refuses,
    /// because its scale does not fit in 32 bits, equals no number.
    ///
    /// @throws EffortSpentException if the effort of the other value's document is used up
    public boolean matches(JsonValue other) {
        if (type != other.type()) {
            return false;
        }
        return switch (type) {
            case NULL -> true;
            case BOOLEAN -> other.bool().filter(value -> value == isTrue).isPresent();
            case STRING -> other.isString(string.orElseThrow());
            case NUMBER -> number.isPresent() && number.equals(other.number());
            case ARRAY -> matchesElements(other);
            case OBJECT -> matchesMembers(other);
        };
    }

    private boolean matchesElements(JsonValue other) {
        other.effort().spend(Effort.VISIT_COST);
        var left = other.children();
        for (var element : elements) {
            if (!left.hasNext() || !element.matches(left.next())) {
                return false;
            }
        }
        return !left.hasNext();
    }

    private boolean matchesMembers(JsonValue other) {
        other.effort().spend(MAP_COST);
        var last = new HashMap<String, JsonValue>();
        var left = other.children();
        while (left.hasNext()) {
            other.effort().spend(MAP_COST);
            String name = left.next().string().orElseThrow();
            if (!members.containsKey(name)) {
                return false;
            }
            last.put(name, left.next());
        }
        if (last.size() != members.size()) {
            return false;
        }
        for (var member : members.entrySet()) {
            var value = last.get(member.getKey());
            if (value == null || !member.getValue().matches(value)) {
                return false;
            }
        }
        return true;
    }
}
