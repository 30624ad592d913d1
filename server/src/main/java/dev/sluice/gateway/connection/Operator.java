package dev.sluice.gateway.connection;

import dev.sluice.platform.json.JsonValue;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// How a rule compares what it found with its own value.
///
/// Numbers compare by value and only with numbers, strings by code point and only with strings.
/// Nothing that is missing meets anything but `ne` and `exists` with `false`.
enum Operator {
    EQ,
    NE,
    CONTAINS,
    EXISTS,
    GT,
    LT,
    IN;

    static final Map<String, Operator> BY_TEXT =
            Arrays.stream(values()).collect(Collectors.toMap(Operator::text, Function.identity()));

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// What the operator takes as a value, where it refuses this one.
    Optional<String> objection(JsonValue value) {
        boolean isOrdered =
                value.kind() == JsonValue.Kind.NUMBER || value.kind() == JsonValue.Kind.STRING;
        return switch (this) {
            case EQ, NE, CONTAINS -> Optional.empty();
            case EXISTS ->
                    value.kind() == JsonValue.Kind.BOOLEAN
                            ? Optional.empty()
                            : Optional.of("must be true or false for exists.");
            case GT, LT ->
                    isOrdered
                            ? Optional.empty()
                            : Optional.of("must be a number or a string for " + text() + ".");
            case IN ->
                    value.kind() == JsonValue.Kind.ARRAY
                            ? Optional.empty()
                            : Optional.of("must be a list for in.");
        };
    }

    boolean passes(FilterSubject.Found found, Operand operand) {
        return switch (this) {
            case EQ -> isSame(found, operand);
            case NE -> !isSame(found, operand);
            case CONTAINS -> contains(found, operand);
            case EXISTS -> isThere(found) == operand.isTrue();
            case GT -> order(found, operand).filter(order -> order > 0).isPresent();
            case LT -> order(found, operand).filter(order -> order < 0).isPresent();
            case IN -> operand.elements().stream().anyMatch(element -> isSame(found, element));
        };
    }

    private static boolean isThere(FilterSubject.Found found) {
        return !(found instanceof FilterSubject.Found.Nothing);
    }

    private static boolean isSame(FilterSubject.Found found, Operand operand) {
        return switch (found) {
            case FilterSubject.Found.Nothing() -> false;
            case FilterSubject.Found.InHeaders(String value) ->
                    operand.string().filter(value::equals).isPresent();
            case FilterSubject.Found.InBody(var value) -> value.isSame(operand.json());
        };
    }

    private static boolean contains(FilterSubject.Found found, Operand operand) {
        if (found instanceof FilterSubject.Found.InBody(var value)
                && value.kind() == JsonValue.Kind.ARRAY) {
            return value.anyElement(element -> element.isSame(operand.json()));
        }
        var part = operand.string();
        return part.isPresent()
                && string(found).filter(text -> Substring.isIn(text, part.get())).isPresent();
    }

    private static Optional<String> string(FilterSubject.Found found) {
        return switch (found) {
            case FilterSubject.Found.Nothing() -> Optional.empty();
            case FilterSubject.Found.InHeaders(String value) -> Optional.of(value);
            case FilterSubject.Found.InBody(var value) -> value.string();
        };
    }

    /// Negative, zero or positive; empty when the two cannot be compared.
    private static Optional<Integer> order(FilterSubject.Found found, Operand operand) {
        if (operand.string().isPresent()) {
            String bound = operand.string().get();
            return string(found).map(text -> order(text, bound));
        }
        return found instanceof FilterSubject.Found.InBody(var value)
                ? value.number().flatMap(n -> operand.number().map(n::compareTo))
                : Optional.empty();
    }

    /// By code point; `String` itself compares halves of surrogate pairs.
    private static int order(String left, String right) {
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
