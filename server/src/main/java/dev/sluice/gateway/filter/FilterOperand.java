package dev.sluice.gateway.filter;

import dev.sluice.platform.json.JsonValue;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/// The value that a filter rule compares with. It is decoded once. Immutable.
///
/// @param string the value if it is a string, otherwise empty
/// @param number the value if it is a number, otherwise empty
/// @param elements the elements if the value is a list, otherwise empty
record FilterOperand(
        JsonValue json,
        Optional<String> string,
        Optional<BigDecimal> number,
        List<FilterOperand> elements) {

    FilterOperand {
        elements = List.copyOf(elements);
    }

    static FilterOperand of(JsonValue json) {
        return new FilterOperand(
                json,
                json.string(),
                json.number(),
                json.elements().stream().map(FilterOperand::of).toList());
    }

    boolean isTrue() {
        return json.bool().orElse(false);
    }
}
