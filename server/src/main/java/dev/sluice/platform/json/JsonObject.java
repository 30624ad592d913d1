package dev.sluice.platform.json;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.util.RawValue;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A JSON object to be written, with its fields in insertion order.
///
/// A value may be a string, number, boolean, instant, list, map, [RawJson] or another instance of
/// this class. An empty `Optional` is written as null. Any other value is written as the string
/// that its `toString` returns. The contents of a map are not converted in this way, so they must
/// be strings, numbers, booleans or lists of these. Not thread-safe.
public final class JsonObject {

    private static final DateTimeFormatter TIME_FORMAT =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    /// The memory of a value besides its text: its object, its entry, and its name in the answer.
    private static final int VALUE_BYTES = 64;

    private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

    public JsonObject put(String name, Object value) {
        fields.put(name, plain(value));
        return this;
    }

    public JsonObject putAll(JsonObject other) {
        fields.putAll(other.fields);
        return this;
    }

    /// Returns `{"items": [...]}`, the beginning of every list that the API returns.
    public static JsonObject items(List<JsonObject> items) {
        return new JsonObject().put("items", items);
    }

    /// Returns the time in RFC 3339 format, in UTC with milliseconds: `2026-01-02T03:04:05.678Z`.
    public static String time(Instant instant) {
        return TIME_FORMAT.format(instant);
    }

    /// Returns roughly how much memory the object takes up. Each character of a text counts as two
    /// bytes.
    public long memoryBytes() {
        return memoryBytes(fields);
    }

    private static long memoryBytes(@Nullable Object value) {
        return VALUE_BYTES
                + switch (value) {
                    case String text -> 2L * text.length();
                    case RawValue raw -> 2L * String.valueOf(raw.rawValue()).length();
                    case Map<?, ?> map ->
                            map.values().stream().mapToLong(JsonObject::memoryBytes).sum();
                    case Iterable<?> list -> {
                        long bytes = 0;
                        for (var element : list) {
                            bytes += memoryBytes(element);
                        }
                        yield bytes;
                    }
                    case null, default -> 0;
                };
    }

    Map<String, @Nullable Object> fields() {
        return fields;
    }

    private static @Nullable Object plain(Object value) {
        return switch (value) {
            case Optional<?> optional -> optional.isPresent() ? plain(optional.get()) : null;
            case Instant instant -> time(instant);
            case JsonObject object -> object.fields;
            case RawJson raw -> new RawValue(raw.text());
            case Map<?, ?> map -> map;
            case Iterable<?> list -> {
                var values = new ArrayList<@Nullable Object>();
                list.forEach(element -> values.add(plain(element)));
                yield values;
            }
            case Number number -> number;
            case Boolean flag -> flag;
            default -> value.toString();
        };
    }
}
