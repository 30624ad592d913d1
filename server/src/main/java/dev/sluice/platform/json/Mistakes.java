package dev.sluice.platform.json;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// What is wrong in one body, counted in full and named up to a bound: the sender decides how much
/// there is. Owned by one thread.
final class Mistakes {

    /// More are counted only.
    static final int MOST_NAMED = 100;

    private final List<FieldError> named = new ArrayList<>();
    private final Set<String> fields = new HashSet<>();
    private int count;

    /// @param field by its whole path
    /// @param message continues the field's name
    void add(String field, String message) {
        count++;
        fields.add(field);
        if (named.size() < MOST_NAMED) {
            named.add(new FieldError(field, field + " " + message));
        }
    }

    /// Whether something was wrong with the field, named or not.
    boolean has(String field) {
        return fields.contains(field);
    }

    /// @throws InvalidFields when anything was wrong
    void check() {
        if (count > 0) {
            throw new InvalidFields(named, count);
        }
    }
}
