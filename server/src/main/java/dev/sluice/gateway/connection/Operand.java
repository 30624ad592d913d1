package dev.sluice.gateway.connection;

import dev.sluice.platform.json.JsonValue;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/// The value of a rule, read once. Immutable.
record Operand(
        JsonValue json,
        Optional<String> string,
        Optional<BigDecimal> number,
        List<Operand> elements) {

    Operand {
        elements = List.copyOf(elements);
    }

    static Operand of(JsonValue json) {
        return new Operand(
                json,
                json.string(),
                json.number(),
                json.elements().stream().map(Operand::of).toList());
    }

    boolean isTrue() {
        return json.bool().orElse(false);
    }
}
