package dev.sluice.contract;

import tools.jackson.databind.JsonNode;

import java.util.List;

/// An operation of an OpenAPI document.
///
/// @param path the path template, with parameter names in braces
/// @param json the operation as the document has it
/// @param parameters resolved, including those of the path
/// @param bodySchema the reference to the schema of its JSON body; empty if it takes none
/// @param examples the examples of its JSON body
public record ApiOperation(
        String method,
        String path,
        JsonNode json,
        List<JsonNode> parameters,
        String bodySchema,
        List<JsonNode> examples) {

    public String id() {
        return json.path("operationId").asString();
    }

    public JsonNode responses() {
        return json.path("responses");
    }

    public String route() {
        return method + " " + path;
    }

    public boolean isIngest() {
        return path.startsWith("/in/");
    }

    /// Whether a good answer is a stream, which has no end.
    public boolean isStream() {
        return responses().path("200").path("content").has("text/event-stream");
    }
}
