package dev.sluice.gateway.filter;

import dev.sluice.platform.json.Effort;
import dev.sluice.platform.json.JsonValue;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The operators that filter rules can use. `exists` tests whether the path has a value. The other
/// operators compare that value with the rule's operand.
///
/// Numbers are compared by value, and only with numbers. Strings are compared by code point, and
/// only with strings. A header value is always a string. `contains` looks for a substring of a
/// string, or for an element of an array. A missing value matches only `ne`, and `exists` with the
/// operand `false`.
enum FilterOperator {
    EQ,
    NE,
    CONTAINS,
    EXISTS,
    GT,
    LT,
    IN;

    static final Map<String, FilterOperator> BY_TEXT =
            Arrays.stream(values())
                    .collect(Collectors.toMap(FilterOperator::text, Function.identity()));

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Returns the reason why the operator does not accept this operand, or empty if it does.
    Optional<String> operandError(JsonValue value) {
        boolean isOrdered =
                value.type() == JsonValue.JsonType.NUMBER
                        || value.type() == JsonValue.JsonType.STRING;
        return switch (this) {
            case EQ, NE, CONTAINS -> Optional.empty();
            case EXISTS ->
                    value.type() == JsonValue.JsonType.BOOLEAN
                            ? Optional.empty()
                            : Optional.of("must be true or false for exists.");
            case GT, LT ->
                    isOrdered
                            ? Optional.empty()
                            : Optional.of("must be a number or a string for " + text() + ".");
            case IN ->
                    value.type() == JsonValue.JsonType.ARRAY
                            ? Optional.empty()
                            : Optional.of("must be a list for in.");
        };
    }

    /// Whether a rule with this operator passes for the value `actual`.
    ///
    /// @throws dev.sluice.platform.json.EffortSpentException if `effort` is used up before the
    ///   result is known
    boolean passes(FilterInput.PathValue actual, FilterOperand operand, Effort effort) {
        return switch (this) {
            case EQ -> isSame(actual, operand, effort);
            case NE -> !isSame(actual, operand, effort);
            case CONTAINS -> contains(actual, operand, effort);
            case EXISTS -> isPresent(actual) == operand.isTrue();
            case GT -> compare(actual, operand, effort).filter(order -> order > 0).isPresent();
            case LT -> compare(actual, operand, effort).filter(order -> order < 0).isPresent();
            case IN -> isElement(actual, operand, effort);
        };
    }

    private static boolean isPresent(FilterInput.PathValue actual) {
        return !(actual instanceof FilterInput.PathValue.MissingPathValue);
    }

    private static boolean isSame(
            FilterInput.PathValue actual, FilterOperand operand, Effort effort) {
        return switch (actual) {
            case FilterInput.PathValue.MissingPathValue() -> false;
            case FilterInput.PathValue.HeaderPathValue(String value) -> {
                effort.spend(value.length());
                yield operand.string().filter(value::equals).isPresent();
            }
            case FilterInput.PathValue.BodyPathValue value ->
                    operand.matcher().matches(value.json());
        };
    }

    private static boolean isElement(
            FilterInput.PathValue actual, FilterOperand operand, Effort effort) {
        return switch (actual) {
            case FilterInput.PathValue.MissingPathValue() -> false;
            case FilterInput.PathValue.HeaderPathValue(String value) -> {
                effort.spend(value.length());
                yield operand.strings().contains(value);
            }
            case FilterInput.PathValue.BodyPathValue value ->
                    operand.elements().contains(value.json());
        };
    }

    private static boolean contains(
            FilterInput.PathValue actual, FilterOperand operand, Effort effort) {
        if (actual instanceof FilterInput.PathValue.BodyPathValue value
                && value.json().type() == JsonValue.JsonType.ARRAY) {
            return value.json().anyElement(operand.matcher()::matches);
        }
        if (operand.search().isEmpty()) {
            return false;
        }
        var search = operand.search().get();
        var text = actual.string();
        text.ifPresent(found -> effort.spend(search.effort(found.length())));
        return text.filter(search::isIn).isPresent();
    }

    /// Returns a negative number, zero or a positive number if `actual` is less than, equal to or
    /// greater than the operand. Returns empty if the two values cannot be compared.
    private static Optional<Integer> compare(
            FilterInput.PathValue actual, FilterOperand operand, Effort effort) {
        if (operand.string().isPresent()) {
            String bound = operand.string().get();
            var text = actual.string();
            text.ifPresent(found -> effort.spend(2L * Math.min(found.length(), bound.length())));
            return text.map(found -> compare(found, bound));
        }
        return actual instanceof FilterInput.PathValue.BodyPathValue value
                ? value.json().number().flatMap(n -> operand.number().map(n::compareTo))
                : Optional.empty();
    }

    /// Compares two strings by code point. `String.compareTo` compares UTF-16 code units, so it
    /// would sort characters above U+FFFF before those from U+E000 to U+FFFF.
    private static int compare(String left, String right) {
        int at = 0;
        int shorter = Math.min(left.length(), right.length());
        while (at < shorter && left.charAt(at) == right.charAt(at)) {
            at++;
        }
        if (at == shorter) {
            return Integer.compare(left.length(), right.length());
        }
        if (at > 0 && Character.isHighSurrogate(left.charAt(at - 1))) {
            at--;
        }
        return Integer.compare(left.codePointAt(at), right.codePointAt(at));
    }
}
