package dev.sluice.gateway.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonMerge;
import dev.sluice.platform.json.RawJson;

import java.util.List;
import java.util.Optional;

/// What a connection changes about an event on its way out: headers are renamed, removed and set,
/// in this order; then fields are put into the body. Immutable.
///
/// @param merge empty when the body stays as it is
/// @param json exactly as the user gave it
public record Transformation(
        List<Renamed> renamed,
        List<String> removed,
        List<Set> set,
        Optional<JsonMerge> merge,
        RawJson json) {

    /// A header that is sent under another name, its value kept.
    public record Renamed(String from, String to) {}

    /// A header that is added, or whose value is replaced.
    public record Set(String name, HeaderTemplate value) {}

    public Transformation {
        renamed = List.copyOf(renamed);
        removed = List.copyOf(removed);
        set = List.copyOf(set);
    }

    /// Reads what was let in before.
    static Transformation stored(String json) {
        var form = Json.form(("{\"transformation\":" + json + "}").getBytes(UTF_8));
        var transformation = TransformationForm.read(form);
        form.check();
        return transformation.toOptional().orElseThrow();
    }
}
