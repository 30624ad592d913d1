package dev.sluice.gateway.alertconfig;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.idempotency.AnswerKeeper;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.account.plan.ConfigurationUse;
import dev.sluice.account.plan.PlanCaps;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.gateway.ChangeRate;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.net.AddressPolicy;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The routes under `/api/v1/alert-configs`: create, list, get, patch and delete.
public final class AlertConfigRoutes {

    /// The maximum number of channels per workspace. It limits the number of messages, because
    /// Sluice may send a separate message to each channel.
    private static final int MAX_CHANNELS = 50;

    private final Db db;
    private final AlertConfigStore configs;
    private final PlanCaps caps;
    private final ChangeRate rate;
    private final AddressPolicy addresses;
    private final IdempotencyKeys idempotency;
    private final List<String> trustedMailDomains;
    private final Uuid7 ids;
    private final InstantSource clock;

    /// @param trustedMailDomains domains in lower case whose mailboxes need no confirmation
    public AlertConfigRoutes(
            ApiContext api,
            AlertConfigStore configs,
            PlanCaps caps,
            ChangeRate rate,
            AddressPolicy addresses,
            IdempotencyKeys idempotency,
            List<String> trustedMailDomains) {
        this.db = api.db();
        this.configs = configs;
        this.caps = caps;
        this.rate = rate;
        this.addresses = addresses;
        this.idempotency = idempotency;
        this.trustedMailDomains = trustedMailDomains;
        this.ids = api.ids();
        this.clock = api.clock();
    }

    public void addTo(Api api) {
        api.post("/api/v1/alert-configs", Gate.MEMBER, Set.of(Budget.DATABASE), this::create);
        api.get("/api/v1/alert-configs", Gate.MEMBER, Set.of(Budget.DATABASE), this::list);
        api.get("/api/v1/alert-configs/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::get);
        api.patch("/api/v1/alert-configs/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::patch);
        api.delete(
                "/api/v1/alert-configs/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::delete);
    }

    private Reply create(Caller caller, Request request) throws IOException {
        var input = request.jsonBody();
        return idempotency.answer(
                request, caller.workspace().value(), keeper -> create(caller, input, keeper));
    }

    private Reply create(Caller caller, FieldReader input, AnswerKeeper keeper) {
        var channel =
                input.required("channel", input.oneOf("channel", AlertChannel.BY_NAME))
                        .toOptional();
        String name = channel.isPresent() ? input.text("channel", 1, 20).orElse("") : "";
        var nested = input.required("config", input.nested("config")).toOptional();
        var settings =
                channel.flatMap(
                        kind -> nested.map(config -> read(config, kind, name, Optional.empty())));
        var source = input.uuid("source_id").toOptional().map(SourceId::new);
        boolean isEnabled = input.bool("enabled").orElse(true);
        input.check();
        var now = clock.instant();
        var config =
                new AlertConfig(
                        ids.next(),
                        caller.workspace(),
                        source,
                        channel.orElseThrow(),
                        settings.orElseThrow(),
                        isEnabled,
                        new AlertConfig.ChangeTimes(now, now),
                        AlertConfig.SendingState.NOTHING_SENT);
        rate.begin(caller.workspace());
        return db.call(tx -> {
            var use = ConfigurationUse.of(tx, config.workspace());
            insert(tx, config);
            var _ = caps.requireRoomForBytes(tx, config.workspace(), use);
            record(tx, caller, "alert_config.created", config, input.names());
            var created = configs.find(tx, config.workspace(), config.id()).orElseThrow();
            return keeper.keep(
                    tx,
                    Reply.created("/api/v1/alert-configs/" + created.id(), created.json())
                            .with(created.tag()));
        });
    }

    private void insert(Tx tx, AlertConfig config) {
        WorkspaceStore.lock(tx, config.workspace());
        config.source()
                .filter(source -> !SourceStore.exists(tx, config.workspace(), source))
                .ifPresent(_ -> {
                    throw ApiException.notFound("source", "source_id");
                });
        if (AlertConfigStore.countWithHidden(tx, config.workspace()) >= MAX_CHANNELS) {
            throw new ApiException(
                    ApiErrorCode.CONFLICT,
                    "A workspace has at most "
                            + MAX_CHANNELS
                            + " alert channels, with those of sources in the trash. Delete one"
                            + " first.");
        }
        configs.insert(tx, config);
        MailboxConfirmationStore.add(tx, config, trustedMailDomains, clock.instant());
    }

    private ChannelSettings read(
            FieldReader input, AlertChannel channel, String name, Optional<ChannelSettings> known) {
        return ChannelSettingsJson.read(
                input, channel, name, text -> DestinationUrl.parse(text, addresses), known);
    }

    private Reply list(Caller caller, Request request) {
        var query = new QueryParameters(request);
        var page = Page.ifRequested(query);
        var isWanted = query.searchFilter();
        query.check();
        var found =
                db.call(tx -> configs.list(tx, caller.workspace())).stream()
                        .filter(config -> isWanted.test(config.address()))
                        .toList();
        var json =
                JsonObject.items(
                        found.stream()
                                .skip(page.map(Page::offset).orElse(0L))
                                .limit(page.map(Page::limit).orElse(Integer.MAX_VALUE))
                                .map(AlertConfig::json)
                                .toList());
        page.ifPresent(_ -> json.put("total", found.size()));
        return Reply.ok(json);
    }

    private Reply get(Caller caller, Request request) {
        return reply(db.call(tx -> find(tx, caller, request)));
    }

    private static Reply reply(AlertConfig config) {
        return Reply.ok(config.json()).with(config.tag());
    }

    private Reply patch(Caller caller, Request request) throws IOException {
        var input = request.jsonBody();
        var nested = input.nested("config");
        var enabled = input.bool("enabled");
        input.rejectNull("config", nested);
        input.rejectNull("enabled", enabled);
        var condition = request.ifMatch();
        rate.begin(caller.workspace());
        return db.call(tx -> {
            WorkspaceStore.lock(tx, caller.workspace());
            var before = find(tx, caller, request);
            var settings =
                    nested.toOptional()
                            .map(config ->
                                    read(
                                            config,
                                            before.channel(),
                                            before.channelName(),
                                            Optional.of(before.settings())))
                            .orElse(before.settings());
            input.check();
            condition.require(before.tag(), "alert config");
            var after = before.with(settings, enabled.orElse(before.isEnabled()), clock.instant());
            var use = ConfigurationUse.of(tx, caller.workspace());
            // In the order in which the watcher locks both.
            MailboxConfirmationStore.add(tx, after, trustedMailDomains, clock.instant());
            configs.update(tx, after);
            var _ = caps.requireRoomForBytes(tx, caller.workspace(), use);
            record(tx, caller, "alert_config.updated", after, input.names());
            return reply(find(tx, caller, request));
        });
    }

    private Reply delete(Caller caller, Request request) {
        var condition = request.ifMatch();
        return db.call(tx -> {
            WorkspaceStore.lock(tx, caller.workspace());
            var config = find(tx, caller, request);
            condition.require(config.tag(), "alert config");
            AlertConfigStore.delete(tx, config.id());
            record(tx, caller, "alert_config.deleted", config, Set.of());
            return Reply.noContent();
        });
    }

    private AlertConfig find(Tx tx, Caller caller, Request request) {
        return configs.find(tx, caller.workspace(), request.id("alert config"))
                .orElseThrow(() -> ApiException.notFound("alert config"));
    }

    private static void record(
            Tx tx, Caller caller, String action, AlertConfig config, Set<String> fields) {
        caller.record(tx, action, config.id(), config.channel().text(), fields);
    }
}
