package dev.sluice.faults.fuzz;

import dev.sluice.contract.ApiOperation;
import dev.sluice.contract.OpenApiDocument;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// Checks a response for problems: a 5xx, an undocumented status or body, a missing header, or
/// internal details in an error. Thread-safe.
public final class ResponseChecker {

    /// The statuses with which the relay may refuse a request before it knows which operation the
    /// request is for.
    private static final Set<Integer> STATUSES_BEFORE_ROUTING =
            Set.of(400, 404, 405, 413, 414, 431);

    private static final Pattern INTERNALS_PATTERN =
            Pattern.compile(
                    "Exception|StackTrace|\\bat"
                        + " [a-z]+\\.|java\\.|jackson|StreamRead|org\\.[a-z]+\\.|SQLSTATE|ERROR:|\\bselect"
                        + " |\\binsert |\\bupdate |<html|<!doctype",
                    Pattern.CASE_INSENSITIVE);

    private final OpenApiDocument document;
    private final JsonMapper reader =
            JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    public ResponseChecker(OpenApiDocument document) {
        this.document = document;
    }

    List<String> faults(FuzzRequest request, FuzzResponse answer) {
        var faults = new ArrayList<String>();
        var operation = document.find(request.isHead() ? "GET" : request.method(), request.path());
        boolean isCustom =
                operation.filter(ApiOperation::isIngest).isPresent() && !isRelayAnswer(answer);
        if (answer.status() >= 500 && !isCustom) {
            faults.add("an error of the relay");
        }
        if (answer.status() >= 400
                && !isCustom
                && INTERNALS_PATTERN.matcher(answer.body()).find()) {
            faults.add("the body shows internals");
        }
        if (operation.isEmpty()) {
            if (!STATUSES_BEFORE_ROUTING.contains(answer.status())) {
                faults.add("there is no such operation");
            } else if (!request.isHead()) {
                faults.addAll(bodyFaults("Error", answer.body()));
            }
            return faults;
        }
        var responses = operation.get().responses();
        var response = responses.path(Integer.toString(answer.status()));
        var missed = violations(request, document.resolve(response), answer);
        if (!missed.isEmpty() && isCustom) {
            missed = violations(request, document.resolve(responses.path("default")), answer);
        }
        faults.addAll(missed);
        return faults;
    }

    private static boolean isRelayAnswer(FuzzResponse answer) {
        return answer.body().startsWith("{\"error\":{\"code\"")
                || answer.body().contains("\"message\":\"Event accepted\"");
    }

    private List<String> violations(FuzzRequest request, JsonNode response, FuzzResponse answer) {
        if (response.isMissingNode()) {
            return List.of("the status is not documented");
        }
        var misses = new ArrayList<String>();
        for (var header : response.path("headers").properties()) {
            var described = document.resolve(header.getValue());
            if (described.path("required").asBoolean(false)
                    && answer.header(header.getKey()).isEmpty()) {
                misses.add("the header " + header.getKey() + " is missing");
            }
        }
        var content = response.path("content");
        if (request.isHead() || (content.isMissingNode() && answer.body().isEmpty())) {
            return misses;
        }
        String type =
                answer.header("Content-Type")
                        .orElse("none")
                        .split(";", 2)[0]
                        .strip()
                        .toLowerCase(Locale.ROOT);
        var media = content.path(type);
        if (media.isMissingNode()) {
            misses.add("the content type " + type + " is not documented");
        } else if (type.equals("application/json")) {
            String ref = media.path("schema").path("$ref").asString();
            // A `Payload` is a custom response that the source's owner has defined. The owner
            // declares it to be JSON, but nothing guarantees that it is.
            if (!ref.equals(OpenApiDocument.SCHEMA_PREFIX + "Payload")) {
                misses.addAll(
                        bodyFaults(
                                ref.substring(OpenApiDocument.SCHEMA_PREFIX.length()),
                                answer.body()));
            }
        }
        return misses;
    }

    private List<String> bodyFaults(String schema, String body) {
        try {
            return document
                    .answerErrors(OpenApiDocument.SCHEMA_PREFIX + schema, reader.readTree(body))
                    .stream()
                    .map(error -> schema + " " + error)
                    .toList();
        } catch (JacksonException e) {
            return List.of("the body is not JSON: " + e.getOriginalMessage());
        }
    }
}
