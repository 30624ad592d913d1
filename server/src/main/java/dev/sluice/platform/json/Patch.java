package dev.sluice.platform.json;

import java.util.Optional;
import java.util.function.Function;

/// The change that a request makes to one field: keep it, clear it, or set a value.
///
/// If the request omits the field, the field keeps its value (`KeepValue`). If the request sends
/// null, the value is cleared (`ClearValue`). Immutable.
public sealed interface Patch<T> {

    record KeepValue<T>() implements Patch<T> {}

    record ClearValue<T>() implements Patch<T> {}

    record SetValue<T>(T value) implements Patch<T> {}

    /// Returns the field's value after the patch, for a field that always has a value.
    ///
    /// @param cleared the value to which null resets the field
    default T applyTo(T current, T cleared) {
        return switch (this) {
            case KeepValue<T> _ -> current;
            case ClearValue<T> _ -> cleared;
            case SetValue<T>(T value) -> value;
        };
    }

    /// Returns the field's value after the patch, for a field that may have no value.
    default Optional<T> applyTo(Optional<T> current) {
        return switch (this) {
            case KeepValue<T> _ -> current;
            case ClearValue<T> _ -> Optional.empty();
            case SetValue<T>(T value) -> Optional.of(value);
        };
    }

    /// Returns the field's value in a new resource. Absent and null both mean `fallback`.
    default T orElse(T fallback) {
        return applyTo(fallback, fallback);
    }

    default Optional<T> toOptional() {
        return applyTo(Optional.empty());
    }

    default <R> Patch<R> map(Function<T, R> change) {
        return switch (this) {
            case KeepValue<T> _ -> new KeepValue<>();
            case ClearValue<T> _ -> new ClearValue<>();
            case SetValue<T>(T value) -> new SetValue<>(change.apply(value));
        };
    }
}
