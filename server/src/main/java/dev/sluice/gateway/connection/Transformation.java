package dev.sluice.gateway.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonMerger;
import dev.sluice.platform.json.RawJson;

import java.util.List;
import java.util.Optional;

/// A connection's transformation: the changes made to each event before it is sent. Immutable.
///
/// Headers are renamed first, then removed, then set. After that, fields are merged into the body.
///
/// @param merge empty if the body stays unchanged
/// @param json the transformation exactly as the user sent it
public record Transformation(
        List<HeaderRename> headerRenames,
        List<String> removedHeaders,
        List<HeaderAssignment> headerAssignments,
        Optional<JsonMerger> merge,
        RawJson json) {

    /// Represents a stored transformation that this node cannot read. Deliveries on a connection
    /// with this transformation are held.
    public static final Transformation UNREADABLE =
            new Transformation(
                    List.of(), List.of(), List.of(), Optional.empty(), new RawJson("null"));

    /// Renames a header and keeps its value.
    public record HeaderRename(String from, String to) {}

    /// Adds a header, or replaces the value of an existing one.
    public record HeaderAssignment(String name, HeaderTemplate value) {}

    public Transformation {
        headerRenames = List.copyOf(headerRenames);
        removedHeaders = List.copyOf(removedHeaders);
        headerAssignments = List.copyOf(headerAssignments);
    }

    public boolean isReadable() {
        return !equals(UNREADABLE);
    }

    /// Parses a stored transformation, which was validated when it was saved. Throws an exception
    /// if this version of the server cannot read it.
    static Transformation parseStored(String json) {
        var input = Json.fieldReader(("{\"transformation\":" + json + "}").getBytes(UTF_8));
        var transformation = TransformationParser.read(input, CustomHeaderRules.FOR_STORED_ROWS);
        input.check();
        return transformation.toOptional().orElseThrow();
    }
}
