package dev.sluice.features.tryout;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.engine.accept.InboundRequest;
import dev.sluice.engine.accept.VerificationDiagnosis;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.gateway.source.VerificationJson;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.share.ComputePool;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The route `POST /api/v1/sources/{id}/verify`: checks a stored event against a verification
/// config, which need not be saved. Nothing is stored or changed.
public final class VerificationTrialRoutes {

    /// The parsed request body.
    ///
    /// @param event the stored event to check
    /// @param config the config to check the event against; empty for the source's saved config
    private record TrialRequest(Optional<UUID> event, Optional<VerificationConfig> config) {}

    private final Db db;
    private final ConfigurationCache configuration;
    private final SampleEventQueries events;
    private final CustomHeaderRules headerRules;
    private final ComputePool compute;
    private final String baseUrl;

    public VerificationTrialRoutes(
            Db db,
            ConfigurationCache configuration,
            SampleEventQueries events,
            CustomHeaderRules headerRules,
            ComputePool compute,
            String baseUrl) {
        this.db = db;
        this.configuration = configuration;
        this.events = events;
        this.headerRules = headerRules;
        this.compute = compute;
        this.baseUrl = baseUrl;
    }

    public void addTo(Api api) {
        api.post(
                "/api/v1/sources/{id}/verify",
                Gate.MEMBER,
                Set.of(Budget.DATABASE, Budget.COMPUTE),
                this::verify);
    }

    private Reply verify(Caller caller, Request request) throws IOException {
        var id = new SourceId(request.id("source"));
        // Loads the latest configuration, in case another node has just changed it.
        configuration.run();
        var source =
                configuration
                        .source(id)
                        .filter(found -> found.workspace().equals(caller.workspace()))
                        .orElseThrow(() -> ApiException.notFound("source"));
        var asked = read(request.jsonBody());
        var event = event(caller, asked, source);
        var receivedAt = Uuid7.timeOf(event.id().value());
        var diagnosis =
                compute.call(
                        caller.workspace(),
                        () ->
                                VerificationDiagnosis.of(
                                        asked.config().orElse(source.verification()),
                                        new InboundRequest(
                                                event.payload().headers(),
                                                event.payload().body(),
                                                receivedAt,
                                                baseUrl + source.ingestPath())));
        return Reply.ok(
                new JsonObject()
                        .put("event_id", event.id())
                        .put("received_at", receivedAt)
                        .put("result", diagnosis.judgement().text())
                        .put("message", diagnosis.sentence()));
    }

    private TrialRequest read(FieldReader input) {
        var asked =
                new TrialRequest(
                        input.required("event_id", input.uuid("event_id")).toOptional(),
                        input.nested("verification_config")
                                .map(config -> VerificationJson.read(config, headerRules))
                                .toOptional());
        input.check();
        return asked;
    }

    private SampleEvent event(Caller caller, TrialRequest asked, Source source) {
        return asked.event()
                .flatMap(id -> db.snapshot(tx -> events.find(tx, caller.workspace(), id)))
                .filter(found ->
                        found.source().filter(its -> its.id().equals(source.id())).isPresent())
                .orElseThrow(() -> ApiException.notFound("event", "event_id"));
    }
}
