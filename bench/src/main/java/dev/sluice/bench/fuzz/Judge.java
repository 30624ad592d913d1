package dev.sluice.bench.fuzz;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// Finds what is wrong with an answer: a fault of the relay's, a status, header or body that the
/// document does not foresee, or something of the inside let out. Thread-safe.
public final class Judge {

    /// What the relay refuses before it knows the operation.
    private static final Set<Integer> WITHOUT_OPERATION = Set.of(400, 404, 405, 413, 414, 431);

    private static final Pattern INSIDE =
            Pattern.compile(
                    "Exception|StackTrace|\\bat"
                        + " [a-z]+\\.|java\\.|jackson|StreamRead|org\\.[a-z]+\\.|SQLSTATE|ERROR:|\\bselect"
                        + " |\\binsert |\\bupdate |<html|<!doctype",
                    Pattern.CASE_INSENSITIVE);

    private final Document document;
    private final JsonMapper reader =
            JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    public Judge(Document document) {
        this.document = document;
    }

    List<String> faults(Shot shot, Answer answer) {
        var faults = new ArrayList<String>();
        var operation = document.find(shot.isHead() ? "GET" : shot.method(), shot.path());
        boolean isCustom = operation.filter(Operation::isIngest).isPresent() && !isOurs(answer);
        if (answer.status() >= 500 && !isCustom) {
            faults.add("a fault of the relay's");
        }
        if (answer.status() >= 400 && !isCustom && INSIDE.matcher(answer.body()).find()) {
            faults.add("the body tells of the inside");
        }
        if (operation.isEmpty()) {
            if (!WITHOUT_OPERATION.contains(answer.status())) {
                faults.add("there is no such operation");
            } else if (!shot.isHead()) {
                faults.addAll(bodyFaults("Error", answer.body()));
            }
            return faults;
        }
        var responses = operation.get().responses();
        var response = responses.path(Integer.toString(answer.status()));
        var missed = misses(shot, document.resolve(response), answer);
        if (!missed.isEmpty() && isCustom) {
            missed = misses(shot, document.resolve(responses.path("default")), answer);
        }
        faults.addAll(missed);
        return faults;
    }

    private static boolean isOurs(Answer answer) {
        return answer.body().startsWith("{\"error\":{\"code\"")
                || answer.body().contains("\"message\":\"Event accepted\"");
    }

    private List<String> misses(Shot shot, JsonNode response, Answer answer) {
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
        if (shot.isHead() || (content.isMissingNode() && answer.body().isEmpty())) {
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
            // A source's own words are called JSON by their owner; nobody promised that they are.
            if (!ref.equals(Document.SCHEMAS + "Payload")) {
                misses.addAll(bodyFaults(ref.substring(Document.SCHEMAS.length()), answer.body()));
            }
        }
        return misses;
    }

    private List<String> bodyFaults(String schema, String body) {
        try {
            return document.errors(Document.SCHEMAS + schema, reader.readTree(body)).stream()
                    .map(error -> schema + " " + error)
                    .toList();
        } catch (JacksonException e) {
            return List.of("the body is not JSON: " + e.getOriginalMessage());
        }
    }
}
