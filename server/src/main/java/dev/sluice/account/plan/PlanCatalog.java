package dev.sluice.account.plan;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.InvalidFieldsException;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.MalformedJsonException;
import dev.sluice.platform.json.Patch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;

/// The catalog of plans that this server offers, either built in or read from a file. It also
/// contains plans that are no longer offered but that some workspaces still have. Immutable.
public final class PlanCatalog {

    private static final int MAX_RETENTION_DAYS = 3650;

    /// The maximum number of destinations in every built-in plan. It is the same at every price,
    /// because its purpose is to keep one workspace from using too much of the server.
    private static final int BUILT_IN_DESTINATIONS = 10_000;

    private final List<Plan> plans;
    private final List<Plan> vanished;

    private PlanCatalog(List<Plan> plans, List<Plan> vanished) {
        this.plans = List.copyOf(plans);
        this.vanished = List.copyOf(vanished);
    }

    private PlanCatalog(List<Plan> plans) {
        this(plans, List.of());
    }

    /// Returns a catalog that offers the same plans and also contains `others`, which are no longer
    /// offered.
    PlanCatalog withVanished(List<Plan> others) {
        return new PlanCatalog(plans, others);
    }

    List<Plan> offered() {
        return plans;
    }

    public static PlanCatalog builtIn() {
        return new PlanCatalog(
                List.of(
                        plan(
                                "free",
                                0,
                                60,
                                OptionalInt.of(600),
                                OptionalLong.of(50_000),
                                OptionalInt.of(5),
                                2,
                                3),
                        plan(
                                "team",
                                49,
                                600,
                                OptionalInt.of(6_000),
                                OptionalLong.of(1_000_000),
                                OptionalInt.of(50),
                                10,
                                14),
                        plan(
                                "business",
                                199,
                                1_200,
                                OptionalInt.empty(),
                                OptionalLong.empty(),
                                OptionalInt.empty(),
                                50,
                                30)));
    }

    private static Plan plan(
            String name,
            int price,
            int requests,
            OptionalInt ingest,
            OptionalLong events,
            OptionalInt sources,
            int streams,
            int days) {
        var limits =
                new Plan.PlanLimits(
                        OptionalInt.of(requests),
                        ingest,
                        events,
                        sources,
                        OptionalInt.of(BUILT_IN_DESTINATIONS),
                        Plan.MAX_CONNECTIONS_PER_SOURCE,
                        OptionalInt.of(streams),
                        new Plan.StorageLimits(
                                OptionalLong.of(Plan.DEFAULT_CONFIGURATION_BYTES),
                                Retention.ofDays(days)));
        return new Plan(
                name,
                price,
                limits,
                List.of("filters", "transformations", "replay", "dead_letters", "alerts"));
    }

    /// Reads a catalog from a file that has the format of the response to `GET /api/v1/plans`.
    ///
    /// @throws IllegalArgumentException if the file is invalid; the message is meant to be appended
    ///   to the setting's name
    public static PlanCatalog read(Path file) {
        try {
            FieldReader input = Json.fieldReader(Files.readAllBytes(file));
            var plans =
                    input
                            .required("items", input.nestedList("items", 1, 100))
                            .orElse(List.of())
                            .stream()
                            .map(PlanCatalog::plan)
                            .toList();
            input.check();
            if (plans.stream().map(Plan::name).distinct().count() < plans.size()) {
                throw new IllegalArgumentException("names a file with two plans of the same name");
            }
            return new PlanCatalog(plans);
        } catch (IOException e) {
            throw new IllegalArgumentException("names a file that cannot be read", e);
        } catch (MalformedJsonException | InvalidFieldsException e) {
            throw new IllegalArgumentException(
                    "names a file that is not a plan catalogue: " + e.getMessage(), e);
        }
    }

    /// Parses one plan from the text that [#text] returned.
    ///
    /// @throws IllegalArgumentException if another version of the server wrote the text and this
    ///   one cannot read it
    static Plan parse(String json) {
        try {
            var input = Json.fieldReader(json.getBytes(UTF_8));
            var plan = plan(input);
            input.check();
            return plan;
        } catch (MalformedJsonException | InvalidFieldsException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static String text(Plan plan) {
        return Json.text(json(plan));
    }

    private static Plan plan(FieldReader input) {
        String name = input.required("name", input.text("name", 1, 50)).orElse("");
        int price = input.integer("price_monthly_usd", 0, 1_000_000).orElse(0);
        var features = input.stringList("features", 100).orElse(List.of());
        var limits =
                input.required("limits", input.nested("limits"))
                        .toOptional()
                        .map(PlanCatalog::limits);
        input.rejectUnknownFields();
        return new Plan(name, price, limits.orElseGet(PlanCatalog::unlimited), features);
    }

    private static Plan.PlanLimits limits(FieldReader input) {
        var limits =
                new Plan.PlanLimits(
                        limit(input, "api_requests_per_minute"),
                        limit(input, "ingest_per_minute_per_source"),
                        limit(input, "events_per_month").stream().mapToLong(n -> n).findFirst(),
                        limit(input, "sources"),
                        limit(input, "destinations"),
                        connectionsPerSource(input),
                        limit(input, "concurrent_streams"),
                        new Plan.StorageLimits(configurationBytes(input), retention(input)));
        input.rejectUnknownFields();
        return limits;
    }

    /// Reads `retention_days`. The field is required, because the server deletes events once they
    /// are that old. Null means that events are kept forever.
    private static Retention retention(FieldReader input) {
        var days = input.integer("retention_days", 1, MAX_RETENTION_DAYS);
        if (!(days instanceof Patch.ClearValue<Integer>)) {
            input.required("retention_days", days);
        }
        return days.toOptional().map(Retention::ofDays).orElse(Retention.UNLIMITED);
    }

    private static int connectionsPerSource(FieldReader input) {
        return input.integer("connections_per_source", 0, Plan.MAX_CONNECTIONS_PER_SOURCE)
                .orElse(Plan.MAX_CONNECTIONS_PER_SOURCE);
    }

    /// Reads `configuration_bytes`. Null means unlimited; a plan without the field has the default
    /// limit, because memory and start depend on it.
    private static OptionalLong configurationBytes(FieldReader input) {
        return input
                .integer("configuration_bytes", 0, Integer.MAX_VALUE)
                .map(Integer::longValue)
                .applyTo(Optional.of(Plan.DEFAULT_CONFIGURATION_BYTES))
                .stream()
                .mapToLong(bytes -> bytes)
                .findFirst();
    }

    private static OptionalInt limit(FieldReader input, String field) {
        return input.integer(field, 0, Integer.MAX_VALUE).toOptional().stream()
                .mapToInt(n -> n)
                .findFirst();
    }

    private static Plan.PlanLimits unlimited() {
        var none = OptionalInt.empty();
        return new Plan.PlanLimits(
                none,
                none,
                OptionalLong.empty(),
                none,
                none,
                Plan.MAX_CONNECTIONS_PER_SOURCE,
                none,
                new Plan.StorageLimits(
                        OptionalLong.of(Plan.DEFAULT_CONFIGURATION_BYTES), Retention.UNLIMITED));
    }

    public Optional<Plan> find(String name) {
        return plans.stream().filter(plan -> plan.name().equals(name)).findFirst();
    }

    /// Returns the plan with this name, even if it is no longer offered. If there is no such plan,
    /// returns the last plan that the catalog offers.
    public Plan byNameOrLast(String name) {
        for (var plan : plans) { // no stream: this runs for every webhook
            if (plan.name().equals(name)) {
                return plan;
            }
        }
        for (var plan : vanished) {
            if (plan.name().equals(name)) {
                return plan;
            }
        }
        return plans.getLast();
    }

    /// Returns a workspace's current plan.
    ///
    /// @throws ApiException 404 if the workspace was deleted while the request was running
    public Plan ofWorkspace(Tx tx, WorkspaceId workspace) {
        return byNameOrLast(
                WorkspaceStore.find(tx, workspace)
                        .orElseThrow(() -> ApiException.notFound("workspace"))
                        .plan());
    }

    /// Returns the longest retention among all plans, including those that are no longer offered.
    public Retention longestRetention() {
        int longest = 0;
        for (var plan : Stream.concat(plans.stream(), vanished.stream()).toList()) {
            var days = plan.limits().retention().days();
            if (days.isEmpty()) {
                return Retention.UNLIMITED;
            }
            longest = Math.max(longest, days.getAsInt());
        }
        return Retention.ofDays(longest);
    }

    public List<String> names() {
        return plans.stream().map(Plan::name).toList();
    }

    public JsonObject json() {
        return JsonObject.items(plans.stream().map(PlanCatalog::json).toList());
    }

    private static JsonObject json(Plan plan) {
        var limits = plan.limits();
        return new JsonObject()
                .put("name", plan.name())
                .put("price_monthly_usd", plan.priceMonthlyUsd())
                .put(
                        "limits",
                        new JsonObject()
                                .put(
                                        "api_requests_per_minute",
                                        number(limits.apiRequestsPerMinute()))
                                .put(
                                        "ingest_per_minute_per_source",
                                        number(limits.ingestPerMinutePerSource()))
                                .put("events_per_month", number(limits.eventsPerMonth()))
                                .put("sources", number(limits.sources()))
                                .put("destinations", number(limits.destinations()))
                                .put("connections_per_source", limits.connectionsPerSource())
                                .put("concurrent_streams", number(limits.concurrentStreams()))
                                .put("configuration_bytes", number(limits.configurationBytes()))
                                .put("retention_days", number(limits.retention().days())))
                .put("features", plan.features());
    }

    private static Optional<Integer> number(OptionalInt limit) {
        return limit.isPresent() ? Optional.of(limit.getAsInt()) : Optional.empty();
    }

    private static Optional<Long> number(OptionalLong limit) {
        return limit.isPresent() ? Optional.of(limit.getAsLong()) : Optional.empty();
    }
}
