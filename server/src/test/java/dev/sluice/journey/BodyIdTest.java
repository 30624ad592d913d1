package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.UUID;

/// Tests that a 404 for an id in a request's body names the field.
class BodyIdTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();
    private static final ApiClient theirs = WorkspaceFixture.create(sluice, "business");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    connections            | source_id        | {'source_id':'ID','destination_id':'DESTINATION'}
                    connections            | destination_id   | {'source_id':'SOURCE','destination_id':'ID'}
                    alert-configs          | source_id        | {'channel':'webhook','config':{'url':'https://example.com/'},'source_id':'ID'}
                    deliveries/resend-bulk | connection_id    | {'connection_id':'ID'}
                    events/EVENT/resend    | connection_ids.1 | {'connection_ids':['CONNECTION','ID']}
                    dlq/dismiss            | source_id        | {'source_id':'ID'}
                    dlq/dismiss            | connection_id    | {'connection_id':'ID'}
                    dlq/dismiss            | destination_id   | {'destination_id':'ID'}
                    dlq/dismiss            | event_id         | {'event_id':'ID'}
                    dlq/undismiss          | connection_id    | {'connection_id':'ID'}
                    dlq/resend             | destination_id   | {'destination_id':'ID'}
                    dlq/undismiss          | source_id        | {'source_id':'ID'}
                    dlq/undismiss          | destination_id   | {'destination_id':'ID'}
                    dlq/undismiss          | event_id         | {'event_id':'ID'}
                    dlq/resend             | source_id        | {'source_id':'ID'}
                    dlq/resend             | connection_id    | {'connection_id':'ID'}
                    dlq/resend             | event_id         | {'event_id':'ID'}
                    destinations/DESTINATION/test | event_id  | {'event_id':'ID'}
                    destinations/DESTINATION/test | connection_id | {'connection_id':'ID'}
                    sources/SOURCE/verify  | event_id         | {'event_id':'ID'}
                    connections/preview    | connection_id    | {'connection_id':'ID','sample':{}}
                    connections/preview    | destination_id   | {'destination_id':'ID','sample':{}}
                    connections/preview    | event_id         | {'connection_id':'CONNECTION','event_id':'ID'}
                    """)
    void an_id_that_names_nothing_is_404_with_its_field(String path, String field, String body) {
        var source = theirs.source("s");
        var destination = theirs.destination("https://example.com/", "");
        var connection = theirs.connect(source, destination);
        String event = theirs.ingest(source.text("ingest_path"), "{}").text("request_id");
        String filled =
                body.replace("SOURCE", source.text("id"))
                        .replace("DESTINATION", destination.text("id"))
                        .replace("CONNECTION", connection.text("id"));
        String unknown =
                field.equals("event_id") ? unknownEvent(event) : UUID.randomUUID().toString();

        String at =
                path.replace("SOURCE", source.text("id"))
                        .replace("DESTINATION", destination.text("id"))
                        .replace("EVENT", event);

        assertNamed(post(at, filled, unknown), field);
        assertNamed(post(at, filled, foreign(field)), field);
    }

    private static ApiClient.ApiResponse post(String path, String body, String id) {
        return theirs.post("/api/v1/" + path, body.replace("ID", id));
    }

    /// Creates what the field names in another workspace.
    private static String foreign(String field) {
        var source = api.source("s");
        var destination = api.destination("https://example.com/", "");
        var connection = api.connect(source, destination);
        return switch (field) {
            case "source_id" -> source.text("id");
            case "destination_id" -> destination.text("id");
            case "event_id" -> api.ingest(source.text("ingest_path"), "{}").text("request_id");
            default -> connection.text("id");
        };
    }

    private static void assertNamed(ApiClient.ApiResponse answer, String field) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(404);
        var detail = answer.json().path("error").path("details");
        assertThat(detail).hasSize(1);
        assertThat(detail.path(0).path("field").asString()).isEqualTo(field);
        assertThat(detail.path(0).path("message").asString()).startsWith(field + " names no ");
    }

    /// Returns an id that an event can have, of the same time.
    private static String unknownEvent(String event) {
        return event.substring(0, 24) + "ABCDEF012".toLowerCase(java.util.Locale.ROOT) + "000";
    }
}
