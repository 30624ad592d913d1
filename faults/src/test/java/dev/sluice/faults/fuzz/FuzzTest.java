package dev.sluice.faults.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.contract.OpenApiDocument;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

class FuzzTest {

    private static final Path DOCUMENT_FILE = Path.of("../server/src/main/resources/openapi.json");
    private static final List<String> RESPONSE_HEADERS =
            List.of("Content-Type: application/json; charset=utf-8", "X-Request-Id: 1");
    private static final String GET_ME_BODY =
            "{\"auth\":\"api_key\",\"workspace\":{\"id\":\"018f3c5e-7a00-7bbb-8ccc-2d5e6f708192\","
                    + "\"name\":\"Main\",\"plan\":\"business\"},"
                    + "\"header_prefix\":\"X-Service\"}";

    private final OpenApiDocument document = OpenApiDocument.parse(text());

    private static String text() {
        try {
            return Files.readString(DOCUMENT_FILE);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void a_thousand_requests_meet_no_fault_of_the_server() {
        var options =
                CommandLineOptions.parse(
                        List.of(
                                "--sluice", "../bin/sluice",
                                "--requests", "1000",
                                "--seed", "7",
                                "--seconds", "120",
                                "--connections", "4"));

        var report = FuzzScenario.from(options).run();

        assertThat(report.isGood()).as(report.toText()).isTrue();
    }

    @Test
    void a_body_made_from_a_schema_fits_it() {
        var wrong = new TreeSet<String>();
        for (var operation : document.operations()) {
            for (int i = 0; i < 200 && !operation.bodySchema().isEmpty(); i++) {
                var values =
                        new SchemaValueGenerator(document, new KnownIds(), new SplittableRandom(i));
                var body =
                        values.generate(
                                JsonNodeFactory.instance
                                        .objectNode()
                                        .put("$ref", operation.bodySchema()));
                document.schemaErrors(operation.bodySchema(), body)
                        .forEach(error -> wrong.add(operation.id() + " " + error));
            }
        }

        assertThat(wrong).isEmpty();
    }

    @Test
    void the_same_seed_makes_the_same_requests_and_another_one_others() {
        assertThat(requests(1)).isEqualTo(requests(1)).isNotEqualTo(requests(2));
    }

    /// With nothing known, ids are random and so from the seed too.
    private List<String> requests(long seed) {
        var generator =
                new FuzzRequestGenerator(
                        document, new KnownIds(), FuzzCredentials.ofKey("key"), seed);
        return IntStream.range(0, 300).mapToObj(i -> generator.generate(i).toString()).toList();
    }

    @Test
    void every_operation_is_asked_in_every_way() {
        var generator =
                new FuzzRequestGenerator(document, new KnownIds(), FuzzCredentials.ofKey("key"), 1);
        var operations = new TreeSet<String>();
        var kinds = new TreeSet<String>();
        for (int i = 0; i < 3_000; i++) {
            var request = generator.generate(i);
            operations.add(request.operation().id());
            kinds.add(request.kind());
        }

        assertThat(operations).hasSize(FuzzRequestGenerator.operations(document).size());
        assertThat(kinds)
                .containsExactly(
                        "bytes",
                        "content type",
                        "fields",
                        "headers",
                        "key",
                        "literals",
                        "method",
                        "path",
                        "query",
                        "valid");
    }

    @Test
    void no_parameter_of_a_path_is_sent_as_its_name_and_headers_and_sessions_are_sent() {
        var credentials = new FuzzCredentials("key", Optional.of("sluice_session=s"));
        var generator = new FuzzRequestGenerator(document, new KnownIds(), credentials, 1);
        var headers = new StringBuilder();
        for (int i = 0; i < 3_000; i++) {
            var request = generator.generate(i);
            headers.append(request.headers());
            if (request.kind().equals("valid")) {
                assertThat(request.path()).doesNotContain("{");
            }
            if (request.kind().matches("method|path")
                    || request.operation().id().equals("logout")) {
                assertThat(request.headers()).doesNotContain("sluice_session=s");
            }
        }

        assertThat(headers)
                .contains("If-Match: *", "Idempotency-Key: fuzz-", "Cookie: sluice_session=s");
    }

    @Test
    void what_answers_tell_is_named_by_later_requests() {
        var known = new KnownIds();
        learn(known, "listDeliveries", "{\"items\": [{\"id\": \"delivery\"}]}");
        learn(known, "listReplays", "{\"items\": [{\"id\": \"replay\"}]}");
        learn(known, "createAlertConfig", "{\"id\": \"alert\"}");
        learn(known, "createApiKey", "{\"id\": \"key\"}");
        learn(known, "listApiKeys", "{\"items\": [{\"id\": \"own key\"}]}");
        learn(known, "listWorkspaces", "{\"items\": [{\"id\": \"workspace\"}]}");
        learn(known, "listMembers", "{\"items\": [{\"user_id\": \"user\"}]}");
        learn(known, "createInvite", "{\"id\": \"invite\"}");

        for (var kind :
                List.of("delivery", "replay", "alert", "key", "workspace", "user", "invite")) {
            assertThat(known.anyId(kind, new SplittableRandom(1))).isEqualTo(kind);
        }
        var unlearned = new TreeSet<String>();
        for (var operation : document.operations()) {
            if (operation.path().contains("{id}")
                    && KnownIds.kindOfId(operation.path()).isEmpty()) {
                unlearned.add(operation.id());
            }
        }
        assertThat(unlearned).containsExactly("endSession");
    }

    private void learn(KnownIds known, String operation, String json) {
        known.learn(document.operation(operation), "", JsonMapper.shared().readTree(json));
    }

    /// What once ended in a 500, or cost seconds, is among the requests.
    @Test
    void what_was_found_once_is_tried_again() {
        var generator =
                new FuzzRequestGenerator(document, new KnownIds(), FuzzCredentials.ofKey("key"), 1);
        var requests = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            requests.append(generator.generate(i).body()).append('\n');
        }

        assertThat(requests)
                .contains(":1e99999999999")
                .contains(":0e9999999999")
                .contains("[" + "0,".repeat(2_700) + "0]")
                .contains("[" + "[],".repeat(60_000) + "[]]")
                .contains("\"secret\":\"whsec_\"")
                .contains("\"X-Service-Hop\"")
                .contains("\u00c0\u00af")
                .contains("\\u200B");
    }

    @Test
    void a_wrong_answer_is_a_fault() {
        assertThat(faults(200, GET_ME_BODY)).isEmpty();
        assertThat(faults(500, error("internal_error", "Sorry.")))
                .contains("an error of the relay");
        assertThat(faults(418, GET_ME_BODY)).contains("the status is not documented");
        assertThat(faults(200, GET_ME_BODY.replace("auth", "oath"))).isNotEmpty();
        assertThat(faults(400, "<html>"))
                .contains("the body shows internals")
                .anyMatch(fault -> fault.startsWith("the body is not JSON"));
        assertThat(faults(400, error("malformed_request", "java.lang.NullPointerException")))
                .containsExactly("the body shows internals");
        assertThat(faults(400, error("oops", "No."))).isNotEmpty();
    }

    private List<String> faults(int status, String body) {
        var me = document.operation("getMe");
        var request = new FuzzRequest(0, me, "valid", "GET", "/api/v1/me?x=1", "", "");
        return new ResponseChecker(document)
                .faults(request, new FuzzResponse(status, RESPONSE_HEADERS, body));
    }

    private static String error(String code, String message) {
        return "{\"error\":{\"code\":\"%s\",\"message\":\"%s\"}}".formatted(code, message);
    }

    @Test
    void a_changed_body_is_json_still_and_differs() {
        var values = new SchemaValueGenerator(document, new KnownIds(), new SplittableRandom(1));
        var mutator = new RequestMutator(new SplittableRandom(1), values);
        var good =
                JsonMapper.shared()
                        .readTree("{\"name\":\"a\",\"response_config\":{\"status\":200}}");
        var made = new ArrayList<String>();
        for (int i = 0; i < 300; i++) {
            made.add(JsonMapper.shared().readTree(mutator.mutateFields(good)).toString());
        }

        assertThat(Set.copyOf(made)).hasSizeGreaterThan(30);
        assertThat(good.toString())
                .isEqualTo("{\"name\":\"a\",\"response_config\":{\"status\":200}}");
    }
}
