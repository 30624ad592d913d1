package dev.sluice.bench.fuzz;

import tools.jackson.databind.JsonNode;

import java.util.List;

/// An operation of the document.
///
/// @param path with names in braces
/// @param parameters resolved, those of the path included
/// @param body the reference to its JSON body's schema, empty when it takes none
/// @param examples of its JSON body
public record Operation(
        String method,
        String path,
        String id,
        List<JsonNode> parameters,
        String body,
        List<JsonNode> examples,
        JsonNode responses) {

    boolean isIngest() {
        return path.startsWith("/in/");
    }
}
