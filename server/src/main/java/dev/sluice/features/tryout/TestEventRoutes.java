package dev.sluice.features.tryout;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.idempotency.AnswerKeeper;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.engine.Payload;
import dev.sluice.engine.VerificationReason;
import dev.sluice.engine.accept.InboundWebhook;
import dev.sluice.engine.accept.IngestEndpoint;
import dev.sluice.engine.accept.WebhookSigner;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;

import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The route `POST /api/v1/sources/{id}/test-event`: creates a webhook and signs it with the
/// source's secret. The webhook is then accepted in the same way as a webhook that arrives at
/// ingest.
public final class TestEventRoutes {

    /// The maximum size of a request body in bytes. It leaves room for the largest payload that
    /// ingest accepts, even in Base64.
    private static final int MAX_REQUEST_BYTES = 1536 * 1024;

    /// The parsed request body.
    ///
    /// @param sample the sample maker to use; empty to use the one for the source's provider
    /// @param payload the webhook's headers and body, as far as the request gives them
    private record TestEventRequest(
            Optional<SampleWebhook.SampleMaker> sample, boolean hasBody, Payload payload) {

        static TestEventRequest read(FieldReader input) {
            boolean hasBody = input.hasValue("body") || input.hasValue("body_base64");
            var sample = input.oneOf("provider", SampleWebhook.MAKERS).toOptional();
            if (hasBody && sample.isPresent()) {
                input.addError("provider", "cannot be sent together with a body.");
            }
            var request = new TestEventRequest(sample, hasBody, SampleEvent.read(input));
            input.check();
            return request;
        }
    }

    private final Db db;
    private final ConfigurationCache configuration;
    private final IngestEndpoint ingest;
    private final IdempotencyKeys idempotency;
    private final String baseUrl;
    private final InstantSource clock;

    public TestEventRoutes(
            Db db,
            ConfigurationCache configuration,
            IngestEndpoint ingest,
            IdempotencyKeys idempotency,
            String baseUrl,
            InstantSource clock) {
        this.db = db;
        this.configuration = configuration;
        this.ingest = ingest;
        this.idempotency = idempotency;
        this.baseUrl = baseUrl;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.post(
                "/api/v1/sources/{id}/test-event",
                Gate.MEMBER,
                Set.of(Budget.DATABASE),
                this::send);
    }

    private Reply send(Caller caller, Request request) throws IOException {
        var id = new SourceId(request.id("source"));
        var input = request.optionalJsonBody(MAX_REQUEST_BYTES);
        return idempotency.answer(
                request, caller.workspace().value(), keeper -> send(caller, id, input, keeper));
    }

    private Reply send(Caller caller, SourceId id, FieldReader input, AnswerKeeper keeper) {
        var source = source(caller, id);
        var asked = TestEventRequest.read(input);
        requireSignable(source.verification(), asked.payload().headers());
        db.run(tx -> {
            caller.record(tx, "source.tested", id.value(), source.name(), Set.of());
            keeper.begin(tx);
        });
        var reply = reply(ingest.accept(source.token(), webhook(source, asked, clock.instant())));
        keeper.workDone();
        return db.call(tx -> keeper.keep(tx, reply));
    }

    private static Reply reply(IngestEndpoint.StoredWebhook stored) {
        var verification = stored.verification();
        return Reply.ok(
                new JsonObject()
                        .put("event_id", stored.id())
                        .put("verification_status", verification.status().text())
                        .put(
                                "verification_reason",
                                verification.reason().map(VerificationReason::sentence))
                        .put(
                                "response",
                                new JsonObject()
                                        .put("status", stored.reply().status())
                                        .put("content_type", stored.reply().header("Content-Type"))
                                        .put("body", stored.reply().text())));
    }

    private Source source(Caller caller, SourceId id) {
        // Loads the latest configuration, in case another node has just changed it.
        configuration.run();
        return configuration
                .source(id)
                .filter(found -> found.workspace().equals(caller.workspace()))
                .orElseThrow(() -> ApiException.notFound("source"));
    }

    private static void requireSignable(VerificationConfig config, List<Header> given) {
        if (config instanceof VerificationConfig.UnreadableVerification) {
            throw new ApiException(
                    ApiErrorCode.VALIDATION_FAILED,
                    VerificationReason.CONFIG_UNREADABLE.sentence());
        }
        WebhookSigner.missingHeader(config)
                .filter(name -> given.stream().noneMatch(header -> header.isNamed(name)))
                .ifPresent(name -> {
                    throw new ApiException(
                            ApiErrorCode.VALIDATION_FAILED,
                            "The source verifies with a public key, and only its sender has the"
                                    + " private one. Send a test from there, or give "
                                    + name
                                    + " in headers.");
                });
    }

    private InboundWebhook webhook(Source source, TestEventRequest asked, Instant now) {
        var sample =
                asked.sample()
                        .orElseGet(() -> SampleWebhook.makerFor(source.verification()))
                        .at(now);
        byte[] body = asked.hasBody() ? asked.payload().body() : sample.body();
        var headers = new ArrayList<>(asked.payload().headers());
        addMissing(headers, "Host", URI.create(baseUrl).getRawAuthority());
        addMissing(headers, "User-Agent", "Sluice test event");
        addMissing(headers, "Content-Length", Integer.toString(body.length));
        if (asked.hasBody()) {
            addMissing(headers, "Content-Type", "application/json");
        } else {
            sample.headers().forEach(header -> addMissing(headers, header.name(), header.value()));
        }
        var signed =
                WebhookSigner.sign(
                        source.verification(), headers, body, baseUrl + source.ingestPath(), now);
        return new InboundWebhook(
                "POST", signed.url().substring(baseUrl.length()), signed.headers(), body, now);
    }

    private static void addMissing(List<Header> headers, String name, String value) {
        if (headers.stream().noneMatch(header -> header.isNamed(name))) {
            headers.add(new Header(name, value));
        }
    }
}
