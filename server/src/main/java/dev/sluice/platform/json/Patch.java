package dev.sluice.platform.json;

import java.util.Optional;
import java.util.function.Function;

/// One field of a body: left out, set to null, or given a value.
public sealed interface Patch<T> {

    record Keep<T>() implements Patch<T> {}

    record Clear<T>() implements Patch<T> {}

    record Set<T>(T value) implements Patch<T> {}

    /// The field after the patch, where clearing it means going back to `cleared`.
    default T over(T current, T cleared) {
        return switch (this) {
            case Keep<T> _ -> current;
            case Clear<T> _ -> cleared;
            case Set<T>(T value) -> value;
        };
    }

    /// The field after the patch, where it may be absent.
    default Optional<T> over(Optional<T> current) {
        return switch (this) {
            case Keep<T> _ -> current;
            case Clear<T> _ -> Optional.empty();
            case Set<T>(T value) -> Optional.of(value);
        };
    }

    /// The field of something new, where leaving it out and null both mean `fallback`.
    default T or(T fallback) {
        return over(fallback, fallback);
    }

    default Optional<T> toOptional() {
        return over(Optional.empty());
    }

    default <R> Patch<R> map(Function<T, R> change) {
        return switch (this) {
            case Keep<T> _ -> new Keep<>();
            case Clear<T> _ -> new Clear<>();
            case Set<T>(T value) -> new Set<>(change.apply(value));
        };
    }
}
