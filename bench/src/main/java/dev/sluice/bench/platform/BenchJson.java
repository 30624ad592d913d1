package dev.sluice.bench.platform;

import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import java.util.Map;

/// Reads and writes JSON whose field names are in snake case.
public final class BenchJson {

    public static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                    .build();

    private BenchJson() {}

    public static String compact(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    /// Returns the fields of a JSON object.
    public static Map<String, Object> object(String json) {
        return MAPPER.readValue(json, new TypeReference<Map<String, Object>>() {});
    }
}
