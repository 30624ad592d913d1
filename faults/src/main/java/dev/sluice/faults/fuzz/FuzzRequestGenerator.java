package dev.sluice.faults.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.ApiOperation;
import dev.sluice.contract.OpenApiDocument;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/// Generates requests from the OpenAPI document. The same seed and number produce the same request,
/// provided that the same ids are known (see [KnownIds]).
public final class FuzzRequestGenerator {

    private static final List<String> METHODS = RequestMutator.texts("methods");
    private static final List<String> BAD_QUERIES = RequestMutator.texts("queries");
    private static final List<String> BAD_HEADER_LINES = RequestMutator.texts("header_lines");

    /// An id that no object has. Most deletions use it, because otherwise there would soon be no
    /// objects left for other requests.
    private static final String UNKNOWN_ID = "018f3c5e-7a00-7bbb-8ccc-2d5e6f708192";

    /// The maximum size of a body that is sent to an operation that takes none. The relay does not
    /// read a long body, so it may close the connection before the fuzzer has read the response.
    private static final int MAX_UNEXPECTED_BODY_BYTES = 8192;

    /// Operations that would end the run's session, move it to another workspace or remove its
    /// rights. To keep them harmless, their requests use only ids that do not exist.
    private static final Set<String> HARMLESS_OPERATIONS =
            Set.of(
                    "deleteWorkspace",
                    "endSession",
                    "leaveWorkspace",
                    "removeMember",
                    "switchWorkspace",
                    "transferWorkspace");

    private static final int MAX_IDEMPOTENCY_KEYS = 50;

    private static final List<String> CONTENT_TYPES = RequestMutator.texts("content_types");

    private final OpenApiDocument document;
    private final KnownIds known;
    private final FuzzCredentials credentials;
    private final long seed;

    FuzzRequestGenerator(
            OpenApiDocument document, KnownIds known, FuzzCredentials credentials, long seed) {
        this.document = document;
        this.known = known;
        this.credentials = credentials;
        this.seed = seed;
    }

    /// Returns a valid request for this operation.
    FuzzRequest valid(String operation, int number) {
        return new FuzzRequestBuilder(number, document.operation(operation)).valid();
    }

    public FuzzRequest generate(int number) {
        var random = random(number);
        var operations = operations(document);
        var builder =
                new FuzzRequestBuilder(number, operations.get(random.nextInt(operations.size())));
        return random.nextInt(5) < 2 ? builder.valid() : builder.broken(random);
    }

    /// Returns the operations to send requests to. Streams are left out because their responses
    /// never end.
    static List<ApiOperation> operations(OpenApiDocument document) {
        return document.operations().stream().filter(operation -> !operation.isStream()).toList();
    }

    private RandomGenerator random(int number) {
        return new SplittableRandom(seed * 1_000_000_007L + number);
    }

    /// Builds one request.
    private final class FuzzRequestBuilder {

        private final int number;
        private final ApiOperation operation;
        private final RandomGenerator random;
        private final SchemaValueGenerator values;
        private final RequestMutator mutator;
        private String method;
        private String path;
        private String query;
        private String authorization;
        private String extraHeaders;
        private String type = "application/json";
        private byte[] body = new byte[0];

        FuzzRequestBuilder(int number, ApiOperation operation) {
            this.number = number;
            this.operation = operation;
            this.random = random(~number);
            this.values = new SchemaValueGenerator(document, known, random);
            this.mutator = new RequestMutator(random, values);
            this.method = operation.method();
            this.path = path();
            this.query = query();
            this.authorization = authorization();
            this.extraHeaders = parameterHeaders();
            if (operation.isIngest() && !method.equals("GET")) {
                body = values.anyJson().toString().getBytes(UTF_8);
            } else if (hasBody()) {
                body = RequestMutator.bytes(json());
            }
        }

        private boolean hasBody() {
            return !operation.bodySchema().isEmpty();
        }

        private String path() {
            boolean isSpared =
                    HARMLESS_OPERATIONS.contains(operation.id())
                            || (operation.id().startsWith("delete") && random.nextInt(3) > 0);
            return operation
                    .path()
                    .replace("{id}", isSpared ? UNKNOWN_ID : idInPath())
                    .replace("{user_id}", isSpared ? UNKNOWN_ID : known.anyId("user", random))
                    .replace("{invite_id}", known.anyId("invite", random))
                    .replace("{number}", Integer.toString(random.nextInt(1, 4)))
                    .replace("{token}", known.anyId("token", random));
        }

        private String idInPath() {
            return known.anyId(KnownIds.kindOfId(operation.path()), random);
        }

        /// Returns the header lines that authenticate the request. An operation that accepts only a
        /// session gets the session; any other gets the key, or sometimes the session. `logout`
        /// always gets the key because, with the session, it would end that session.
        private String authorization() {
            boolean isSession =
                    !operation.id().equals("logout")
                            && (isForSessionsOnly() || random.nextInt(4) == 0);
            return isSession ? credentials.sessionLines() : credentials.keyLine();
        }

        private boolean isForSessionsOnly() {
            var security = operation.json().path("security");
            return security.size() == 1 && security.path(0).has("session");
        }

        /// Returns header lines for a random selection of the header parameters.
        private String parameterHeaders() {
            var lines = new StringBuilder();
            for (var parameter : operation.parameters()) {
                if (parameter.path("in").asString().equals("header") && random.nextInt(3) == 0) {
                    String name = parameter.path("name").asString();
                    lines.append(name).append(": ").append(headerValue(name)).append("\r\n");
                }
            }
            return lines.toString();
        }

        private String headerValue(String name) {
            return switch (name) {
                case "If-Match" -> values.pick(List.of("*", "\"h2k9x7c01f4\"", "W/\"a\", \"b\""));
                // There are only a few keys, so some requests use the same one.
                case "Idempotency-Key" -> "fuzz-" + random.nextInt(MAX_IDEMPOTENCY_KEYS);
                default -> "a";
            };
        }

        private String query() {
            var pairs = new ArrayList<String>();
            for (var parameter : operation.parameters()) {
                if (parameter.path("in").asString().equals("query") && random.nextInt(3) == 0) {
                    String value = values.generate(parameter.path("schema")).asString();
                    pairs.add(pair(parameter, URLEncoder.encode(value, UTF_8)));
                }
            }
            return String.join("&", pairs);
        }

        private static String pair(JsonNode parameter, String value) {
            return parameter.path("name").asString() + "=" + value;
        }

        /// Returns either one of the operation's examples, filled in with the ids of existing
        /// objects, or a body generated from its schema.
        private JsonNode json() {
            if (!operation.examples().isEmpty() && random.nextInt(3) == 0) {
                var example = values.pick(operation.examples()).deepCopy();
                if (example instanceof ObjectNode object) {
                    for (String kind : List.of("source", "destination", "connection", "event")) {
                        if (object.has(kind + "_id")) {
                            object.put(kind + "_id", known.anyId(kind, random));
                        }
                    }
                }
                return example;
            }
            return values.generate(
                    JsonNodeFactory.instance.objectNode().put("$ref", operation.bodySchema()));
        }

        FuzzRequest valid() {
            return build("valid");
        }

        FuzzRequest broken(RandomGenerator dice) {
            return switch (dice.nextInt(14)) {
                case 0 -> {
                    path = mutator.mutatePath(path);
                    authorization = credentials.keyLine(); // the new path could end the session
                    yield build("path");
                }
                case 1, 2 -> {
                    breakQuery();
                    yield build("query");
                }
                case 3 -> {
                    method = values.pick(METHODS);
                    // With a session, the request could now delete the run's own workspace.
                    authorization = credentials.keyLine();
                    yield build("method");
                }
                case 4 -> {
                    authorization =
                            values.pick(
                                    List.of(
                                            "",
                                            "Authorization: Bearer\r\n",
                                            "Authorization: Basic YTpi\r\n",
                                            "Authorization: Bearer slk_\u00ff\r\n",
                                            "Authorization: Bearer " + "x".repeat(5_000) + "\r\n"));
                    yield build("key");
                }
                case 5 -> {
                    breakHeaders();
                    yield build("headers");
                }
                case 6 -> {
                    type = values.pick(CONTENT_TYPES);
                    yield build("content type");
                }
                case 7, 8 -> {
                    body = mutator.corruptBytes(hasBody() ? json() : values.anyJson());
                    yield build("bytes");
                }
                case 9, 10 -> {
                    body = mutator.insertLiteral(hasBody() ? json() : values.anyJson());
                    yield build("literals");
                }
                default -> {
                    body = mutator.mutateFields(hasBody() ? json() : values.anyJson());
                    yield build("fields");
                }
            };
        }

        private void breakQuery() {
            var pairs = new ArrayList<String>();
            for (var parameter : operation.parameters()) {
                if (parameter.path("in").asString().equals("query") && random.nextInt(3) > 0) {
                    pairs.add(pair(parameter, mutator.badQueryValue()));
                }
            }
            pairs.add(values.pick(BAD_QUERIES));
            query = String.join("&", pairs);
        }

        private void breakHeaders() {
            extraHeaders +=
                    switch (random.nextInt(14)) {
                        case 0 -> "X-Long: " + "a".repeat(40_000) + "\r\n";
                        case 1 -> "X-Many: a\r\n".repeat(300);
                        case 2 -> "X-Nul: a\0b\r\n";
                        case 3 -> "X-Latin: \u00ff\u00fe\r\n";
                        case 4 -> "Bad Name: a\r\n";
                        case 5 -> "If-None-Match: \"\r\nAccept: text/html\r\nRange: bytes=0-1\r\n";
                        case 6 -> "Content-Length: abc\r\n";
                        default -> values.pick(BAD_HEADER_LINES) + "\r\n";
                    };
        }

        private FuzzRequest build(String kind) {
            if (!hasBody() && !operation.isIngest() && body.length > MAX_UNEXPECTED_BODY_BYTES) {
                body = Arrays.copyOf(body, MAX_UNEXPECTED_BODY_BYTES);
            }
            String target = query.isEmpty() ? path : path + "?" + query;
            boolean sendsBody = body.length > 0 || !method.matches("GET|HEAD|DELETE");
            String bodyHeaders =
                    "Content-Type: %s\r\nContent-Length: %d\r\n".formatted(type, body.length);
            String headers =
                    "Host: 127.0.0.1\r\n"
                            + (operation.isIngest() ? "" : authorization)
                            + extraHeaders
                            + (sendsBody ? bodyHeaders : "");
            return new FuzzRequest(
                    number, operation, kind, method, target, headers, new String(body, ISO_8859_1));
        }
    }
}
