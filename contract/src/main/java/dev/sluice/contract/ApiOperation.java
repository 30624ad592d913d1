package dev.sluice.contract;

import tools.jackson.databind.JsonNode;

import java.util.List;

/// An operation in an OpenAPI document: one HTTP method on one path.
///
/// @param path the path template, with parameter names in braces
/// @param json the operation object from the document
/// @param parameters the path's and the operation's parameters, with each `$ref` resolved
/// @param bodySchema the `$ref` to the schema of the request's JSON body, or an empty string if the
///   operation takes no JSON body
/// @param examples the example values for the request's JSON body
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

    /// Returns whether the 200 response is an event stream (`text/event-stream`), which does not
    /// end.
    public boolean isStream() {
        return responses().path("200").path("content").has("text/event-stream");
    }
}
