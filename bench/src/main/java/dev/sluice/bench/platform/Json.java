package dev.sluice.bench.platform;

import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/// The one way this module reads and writes JSON: names in snake case.
public final class Json {

    public static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                    .build();

    private Json() {}

    public static String line(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    public static String page(Object value) {
        return MAPPER.writer(SerializationFeature.INDENT_OUTPUT).writeValueAsString(value) + "\n";
    }
}
