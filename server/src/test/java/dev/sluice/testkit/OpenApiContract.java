package dev.sluice.testkit;

import dev.sluice.contract.ApiOperation;
import dev.sluice.contract.OpenApiDocument;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;

/// Checks HTTP responses against `openapi.json`. Undocumented statuses, content types and fields
/// are errors, and so are missing fields and missing required headers. Thread-safe.
///
/// [ApiClient] checks every response that a test receives.
public final class OpenApiContract {

    public static final Path OPENAPI_FILE = Path.of("src/main/resources/openapi.json");

    /// The statuses of errors that the server sends before it knows the operation.
    private static final Set<Integer> STATUSES_WITHOUT_OPERATION =
            Set.of(400, 404, 405, 408, 413, 417, 431, 500, 503, 505);

    /// The contract that all tests of this JVM share, so that [ContractReporter] can report on the
    /// whole run.
    static final OpenApiContract SHARED = OpenApiContract.read();

    private final JsonMapper reader =
            JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    private final OpenApiDocument document;
    private final LongAdder answerCount = new LongAdder();
    private final Set<String> coveredOperations = Collections.synchronizedSet(new TreeSet<>());

    private OpenApiContract(String text) {
        reader.readTree(text); // refuses duplicate names
        this.document = OpenApiDocument.parse(text);
    }

    public static OpenApiContract read() {
        try {
            return new OpenApiContract(Files.readString(OPENAPI_FILE, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public OpenApiDocument document() {
        return document;
    }

    /// The number of responses that matched so far.
    public long answerCount() {
        return answerCount.sum();
    }

    /// The ids of the operations that sent those responses.
    public Set<String> coveredOperations() {
        return Set.copyOf(coveredOperations);
    }

    /// Checks one response.
    ///
    /// @param path the path of the request, without the query
    /// @throws AssertionError when the response does not match the document
    void check(String method, String path, ApiClient.ApiResponse answer) {
        var operation = document.find(method.equals("HEAD") ? "GET" : method, path);
        var errors =
                operation
                        .map(found -> errors(found, method, answer))
                        .orElseGet(() -> errorsWithoutOperation(method, answer));
        if (!errors.isEmpty()) {
            throw new AssertionError(
                    "%s %s answered %d, which does not match openapi.json (operation %s):%n  %s%n%s"
                            .formatted(
                                    method,
                                    path,
                                    answer.status(),
                                    operation.map(ApiOperation::id).orElse("none"),
                                    String.join("\n  ", errors),
                                    excerpt(answer.body())));
        }
        answerCount.increment();
        operation.ifPresent(found -> coveredOperations.add(found.id()));
    }

    private static String excerpt(String body) {
        return body.length() > 2_000 ? body.substring(0, 2_000) + " …" : body;
    }

    private List<String> errorsWithoutOperation(String method, ApiClient.ApiResponse answer) {
        if (!STATUSES_WITHOUT_OPERATION.contains(answer.status())) {
            return List.of("there is no such operation, and the status is not an error");
        }
        return method.equals("HEAD") ? List.of() : bodyErrors("Error", answer.body());
    }

    private List<String> errors(
            ApiOperation operation, String method, ApiClient.ApiResponse answer) {
        var responses = operation.responses();
        var errors = new ArrayList<String>();
        var response = responses.path(Integer.toString(answer.status()));
        if (response.isMissingNode()) {
            errors.add("the status is not documented");
        } else {
            errors.addAll(errors(document.resolve(response), method, answer));
        }
        if (!errors.isEmpty() && operation.isIngest() && !isStandardAnswer(answer.body())) {
            return errors(document.resolve(responses.path("default")), method, answer);
        }
        return errors;
    }

    /// Returns whether an ingest response is the standard one or an error, not one from a source's
    /// `response_config`.
    private static boolean isStandardAnswer(String body) {
        return body.startsWith("{\"error\":{\"code\"")
                || body.contains("\"message\":\"Event accepted\"");
    }

    private List<String> errors(JsonNode response, String method, ApiClient.ApiResponse answer) {
        var errors = new ArrayList<String>();
        for (var header : response.path("headers").properties()) {
            boolean isRequired =
                    document.resolve(header.getValue()).path("required").asBoolean(false);
            if (isRequired && answer.header(header.getKey()).isEmpty()) {
                errors.add("the header " + header.getKey() + " is missing");
            }
        }
        if (method.equals("HEAD")) {
            return errors;
        }
        var content = response.path("content");
        if (content.isMissingNode()) {
            if (!answer.body().isEmpty()) {
                errors.add("there must be no body");
            }
            return errors;
        }
        String type = answer.header("Content-Type").orElse("none").split(";", 2)[0].strip();
        var media = content.path(type.toLowerCase(Locale.ROOT));
        if (media.isMissingNode()) {
            errors.add("the content type " + type + " is not documented");
        } else if (type.equals("application/json")) {
            String ref = media.path("schema").path("$ref").asString();
            errors.addAll(
                    bodyErrors(
                            ref.substring(OpenApiDocument.SCHEMA_PREFIX.length()), answer.body()));
        }
        return errors;
    }

    private List<String> bodyErrors(String schema, String body) {
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
