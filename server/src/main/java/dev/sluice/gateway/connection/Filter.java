package dev.sluice.gateway.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.RawJson;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Which events a connection wants. Pure and immutable.
public final class Filter {

    /// A rule, or rules taken together.
    sealed interface Condition {}

    record Rule(FilterPath path, Operator operator, Operand value) implements Condition {}

    /// @param conditions at least one; groups stand in the outermost group only
    record Group(Join join, List<Condition> conditions) implements Condition {
        Group {
            conditions = List.copyOf(conditions);
        }
    }

    enum Join {
        AND,
        OR;

        static final Map<String, Join> BY_TEXT = Map.of("and", AND, "or", OR);

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Group root;
    private final RawJson json;

    /// @param json as the user gave it
    Filter(Group root, RawJson json) {
        this.root = root;
        this.json = json;
    }

    /// Reads what was let in before.
    static Filter stored(String json) {
        var form = Json.form(("{\"filter_rules\":" + json + "}").getBytes(UTF_8));
        var filter = FilterForm.read(form);
        form.check();
        return filter.toOptional().orElseThrow();
    }

    public boolean matches(FilterSubject subject) {
        return passes(root, subject);
    }

    static boolean passes(Condition condition, FilterSubject subject) {
        return switch (condition) {
            case Rule(var path, var operator, var value) ->
                    operator.passes(subject.at(path), value);
            case Group(var join, var conditions) ->
                    switch (join) {
                        case AND -> conditions.stream().allMatch(each -> passes(each, subject));
                        case OR -> conditions.stream().anyMatch(each -> passes(each, subject));
                    };
        };
    }

    Group root() {
        return root;
    }

    /// Exactly as the user gave it.
    public RawJson json() {
        return json;
    }
}
