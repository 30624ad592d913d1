package dev.sluice.bench.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/// Makes requests from the document. The same seed and number make the same request, but for the
/// ids of what exists.
public final class Shots {

    private static final List<String> METHODS =
            List.of(
                    "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW",
                    "get");

    /// Most deletions name nothing, or there would soon be nothing left to ask for.
    private static final String NOBODY = "018f3c5e-7a00-7bbb-8ccc-2d5e6f708192";

    /// Of a body that nobody asked for. A long one is not read, and may cost the connection before
    /// the answer was read.
    private static final int MOST_STRAY_BYTES = 8192;

    private static final List<String> TYPES =
            List.of(
                    "text/plain",
                    "application/json; charset=utf-16",
                    "application/merge-patch+json",
                    "application/x-www-form-urlencoded",
                    "multipart/form-data; boundary=x",
                    ";;;",
                    "a/b/c",
                    "\u00ff");

    private final Document document;
    private final Known known;
    private final String key;
    private final long seed;

    public Shots(Document document, Known known, String key, long seed) {
        this.document = document;
        this.known = known;
        this.key = key;
        this.seed = seed;
    }

    /// A good request of this operation.
    Shot valid(String operation, int number) {
        return new Making(number, document.operation(operation)).valid();
    }

    public Shot number(int number) {
        var random = random(number);
        var operations = document.operations();
        var making = new Making(number, operations.get(random.nextInt(operations.size())));
        return random.nextInt(5) < 2 ? making.valid() : making.broken(random);
    }

    private RandomGenerator random(int number) {
        return new SplittableRandom(seed * 1_000_000_007L + number);
    }

    /// One request in the making.
    private final class Making {

        private final int number;
        private final Operation operation;
        private final RandomGenerator random;
        private final Values values;
        private final Breaks breaks;
        private String method;
        private String path;
        private String query;
        private String authorization = "Authorization: Bearer " + key + "\r\n";
        private String more = "";
        private String type = "application/json";
        private byte[] body = new byte[0];

        Making(int number, Operation operation) {
            this.number = number;
            this.operation = operation;
            this.random = random(~number);
            this.values = new Values(document, known, random);
            this.breaks = new Breaks(random, values);
            this.method = operation.method();
            this.path = path();
            this.query = query();
            if (operation.isIngest() && !method.equals("GET")) {
                body = values.anything().toString().getBytes(UTF_8);
            } else if (hasBody()) {
                body = Breaks.bytes(json());
            }
        }

        private boolean hasBody() {
            return !operation.body().isEmpty();
        }

        private String path() {
            String kind =
                    List.of("source", "destination", "connection", "event").stream()
                            .filter(one -> operation.path().startsWith("/api/v1/" + one))
                            .findFirst()
                            .orElse("token");
            boolean isSpared = operation.id().startsWith("delete") && random.nextInt(3) > 0;
            return operation
                    .path()
                    .replace("{id}", isSpared ? NOBODY : known.any(kind, random))
                    .replace("{token}", known.any("token", random));
        }

        private String query() {
            var pairs = new ArrayList<String>();
            for (var parameter : operation.parameters()) {
                if (parameter.path("in").asString().equals("query") && random.nextInt(3) == 0) {
                    String value = values.of(parameter.path("schema")).asString();
                    pairs.add(pair(parameter, URLEncoder.encode(value, UTF_8)));
                }
            }
            return String.join("&", pairs);
        }

        private static String pair(JsonNode parameter, String value) {
            return parameter.path("name").asString() + "=" + value;
        }

        /// An example in which ids name what exists, or a body made from the schema.
        private JsonNode json() {
            if (!operation.examples().isEmpty() && random.nextInt(3) == 0) {
                var example = values.any(operation.examples()).deepCopy();
                if (example instanceof ObjectNode object) {
                    for (String kind : List.of("source", "destination", "connection", "event")) {
                        if (object.has(kind + "_id")) {
                            object.put(kind + "_id", known.any(kind, random));
                        }
                    }
                }
                return example;
            }
            return values.of(JsonNodeFactory.instance.objectNode().put("$ref", operation.body()));
        }

        Shot valid() {
            return shot("valid");
        }

        Shot broken(RandomGenerator dice) {
            return switch (dice.nextInt(12)) {
                case 0 -> {
                    path = breaks.path(path);
                    yield shot("path");
                }
                case 1, 2 -> {
                    breakQuery();
                    yield shot("query");
                }
                case 3 -> {
                    method = values.any(METHODS);
                    yield shot("method");
                }
                case 4 -> {
                    authorization =
                            values.any(
                                    List.of(
                                            "",
                                            "Authorization: Bearer\r\n",
                                            "Authorization: Basic YTpi\r\n",
                                            "Authorization: Bearer slk_\u00ff\r\n",
                                            "Authorization: Bearer " + "x".repeat(5_000) + "\r\n"));
                    yield shot("key");
                }
                case 5 -> {
                    breakHeaders();
                    yield shot("headers");
                }
                case 6 -> {
                    type = values.any(TYPES);
                    yield shot("content type");
                }
                case 7, 8 -> {
                    body = breaks.spoiled(hasBody() ? json() : values.anything());
                    yield shot("bytes");
                }
                default -> {
                    body = breaks.changed(hasBody() ? json() : values.anything());
                    yield shot("fields");
                }
            };
        }

        private void breakQuery() {
            var pairs = new ArrayList<String>();
            for (var parameter : operation.parameters()) {
                if (parameter.path("in").asString().equals("query") && random.nextInt(3) > 0) {
                    pairs.add(pair(parameter, breaks.queryValue()));
                }
            }
            pairs.add(values.any(List.of("", "&&", "=", "x", "page=1&page=2", "%00=%00", "a[]=b")));
            query = String.join("&", pairs);
        }

        private void breakHeaders() {
            more =
                    switch (random.nextInt(7)) {
                        case 0 -> "X-Long: " + "a".repeat(40_000) + "\r\n";
                        case 1 -> "X-Many: a\r\n".repeat(300);
                        case 2 -> "X-Nul: a\0b\r\n";
                        case 3 -> "X-Latin: \u00ff\u00fe\r\n";
                        case 4 -> "Bad Name: a\r\n";
                        case 5 -> "If-None-Match: \"\r\nAccept: text/html\r\nRange: bytes=0-1\r\n";
                        default -> "Content-Length: abc\r\n";
                    };
        }

        private Shot shot(String kind) {
            if (!hasBody() && !operation.isIngest() && body.length > MOST_STRAY_BYTES) {
                body = Arrays.copyOf(body, MOST_STRAY_BYTES);
            }
            String target = query.isEmpty() ? path : path + "?" + query;
            boolean sendsBody = body.length > 0 || !method.matches("GET|HEAD|DELETE");
            String headers =
                    "Host: 127.0.0.1\r\n"
                            + (operation.isIngest() ? "" : authorization)
                            + more
                            + (sendsBody
                                    ? "Content-Type: "
                                            + type
                                            + "\r\nContent-Length: "
                                            + body.length
                                            + "\r\n"
                                    : "");
            return new Shot(
                    number, operation, kind, method, target, headers, new String(body, ISO_8859_1));
        }
    }
}
