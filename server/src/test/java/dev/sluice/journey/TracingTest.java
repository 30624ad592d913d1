package dev.sluice.journey;

import static dev.sluice.testkit.SpanCollector.attribute;
import static dev.sluice.testkit.SpanCollector.hex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.SpanCollector;

import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;

/// Tests the traces of webhooks, read by a collector.
class TracingTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String RETRIES = ",'retry_policy': {'intervals_seconds': [1]}";
    private static final String SENDER_SPAN = "b7ad6b7169203331";

    @AutoClose private static final SpanCollector collector = SpanCollector.start();

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(
                    Map.of(
                            "OTEL_EXPORTER_OTLP_ENDPOINT",
                            collector.url(),
                            "OTEL_BSP_SCHEDULE_DELAY",
                            "100"));

    @AutoClose private final Receiver receiver = Receiver.start();

    private final ApiClient api = sluice.api();

    private Span awaitSpan(String traceId, String name, int count) {
        await().untilAsserted(() -> assertThat(collector.spans(traceId, name)).hasSize(count));
        return collector.spans(traceId, name).getLast();
    }

    @Test
    void a_webhook_continues_its_senders_trace_from_ingest_to_the_receiver() {
        var ingestPath = connectedSource();
        var event = ingest(ingestPath, "00-" + TRACE + "-" + SENDER_SPAN + "-01");

        var ingest = awaitSpan(TRACE, "ingest", 1);
        var commit = awaitSpan(TRACE, "commit", 1);
        var deliver = awaitSpan(TRACE, "deliver", 1);
        assertThat(hex(ingest.getParentSpanId())).isEqualTo(SENDER_SPAN);
        assertThat(commit.getParentSpanId()).isEqualTo(ingest.getSpanId());
        assertThat(deliver.getParentSpanId()).isEqualTo(ingest.getSpanId());
        assertThat(ingest.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_SERVER);
        assertThat(deliver.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_CLIENT);
        for (var span : List.of(ingest, commit, deliver)) {
            assertThat(attribute(span, "sluice.event_id")).contains(event.text("request_id"));
            assertThat(span.getEndTimeUnixNano()).isGreaterThan(span.getStartTimeUnixNano());
        }
        assertThat(attribute(deliver, "http.response.status_code")).contains("200");
        assertThat(attribute(deliver, "server.address")).contains("127.0.0.1");
        var received = receiver.requests().getFirst();
        assertThat(received.values("traceparent"))
                .containsExactly("00-" + TRACE + "-" + hex(deliver.getSpanId()) + "-01");
        assertThat(received.values("tracestate")).containsExactly("vendor=1");
    }

    @Test
    void a_webhook_without_a_trace_begins_one_and_its_retries_belong_to_it() {
        receiver.willAnswer(500, 200);
        var event = api.ingest(connectedSource(), "{}");

        String trace = event.text("request_id").replace("-", "");
        var second = awaitSpan(trace, "deliver", 2);
        var ingest = awaitSpan(trace, "ingest", 1);
        var first = collector.spans(trace, "deliver").getFirst();
        assertThat(ingest.getParentSpanId()).isEmpty();
        assertThat(first.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_ERROR);
        assertThat(attribute(first, "error.type")).contains("500");
        assertThat(second.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_UNSET);
        assertThat(List.of(first, second))
                .extracting(span -> attribute(span, "sluice.attempt").orElse(""))
                .containsExactly("1", "2");
        assertThat(second.getSpanId()).isNotEqualTo(first.getSpanId());
    }

    /// W3C Trace Context, 3.3: the state of a trace that is not continued is discarded.
    @Test
    void a_new_trace_has_no_state_of_another_one() {
        ingest(connectedSource(), "00-nonsense");

        await().until(() -> !receiver.requests().isEmpty());
        var received = receiver.requests().getFirst();
        assertThat(received.values("traceparent")).hasSize(1).doesNotContain("00-nonsense");
        assertThat(received.values("tracestate")).isEmpty();
    }

    @Test
    void without_tracing_the_senders_headers_pass_untouched() throws IOException {
        try (var untraced = RunningSluice.start()) {
            var client = untraced.api();
            var source = client.source("s");
            client.connect(source, client.destination(receiver.url(), RETRIES));
            String sent = "00-" + TRACE + "-" + SENDER_SPAN + "-01";
            client.send(
                    client.anonymous(source.text("ingest_path"))
                            .header("traceparent", sent)
                            .header("tracestate", "vendor=1")
                            .POST(HttpRequest.BodyPublishers.ofString("{}")));

            await().until(() -> !receiver.requests().isEmpty());
            var received = receiver.requests().getFirst();
            assertThat(received.values("traceparent")).containsExactly(sent);
            assertThat(received.values("tracestate")).containsExactly("vendor=1");
        }
    }

    @Test
    void a_trace_that_its_sender_does_not_record_is_not_recorded_here() {
        String trace = "11111111111111111111111111111111";
        var ingestPath = connectedSource();
        ingest(ingestPath, "00-" + trace + "-" + SENDER_SPAN + "-00");
        var next = api.ingest(ingestPath, "{}");

        awaitSpan(next.text("request_id").replace("-", ""), "deliver", 1);
        assertThat(collector.spans(trace, "ingest")).isEmpty();
        assertThat(receiver.requests())
                .flatExtracting(request -> request.values("traceparent"))
                .anyMatch(header -> header.matches("00-" + trace + "-[0-9a-f]{16}-00"));
    }

    private ApiClient.ApiResponse ingest(String ingestPath, String traceParent) {
        return api.send(
                api.anonymous(ingestPath)
                        .header("traceparent", traceParent)
                        .header("tracestate", "vendor=1")
                        .POST(HttpRequest.BodyPublishers.ofString("{}")));
    }

    /// Returns the path of a source that is connected to the receiver.
    private String connectedSource() {
        var source = api.source("s");
        api.connect(source, api.destination(receiver.url(), RETRIES));
        return source.text("ingest_path");
    }
}
