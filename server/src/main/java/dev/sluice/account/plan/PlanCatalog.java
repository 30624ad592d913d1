package dev.sluice.account.plan;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.json.Form;
import dev.sluice.platform.json.InvalidFields;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.MalformedJson;
import dev.sluice.platform.json.Patch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// All plans there are. Immutable.
public final class PlanCatalog {

    private static final int MOST_DAYS = 3650;

    private final List<Plan> plans;

    private PlanCatalog(List<Plan> plans) {
        this.plans = List.copyOf(plans);
    }

    public static PlanCatalog standard() {
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
                new Plan.Limits(
                        OptionalInt.of(requests),
                        ingest,
                        events,
                        sources,
                        OptionalInt.of(streams),
                        Retention.ofDays(days));
        return new Plan(
                name,
                price,
                limits,
                List.of("filters", "transformations", "replay", "dead_letters", "alerts"));
    }

    /// Reads a catalogue in the shape that `GET /api/v1/plans` answers.
    ///
    /// @throws IllegalArgumentException saying what is wrong with the file
    public static PlanCatalog read(Path file) {
        try {
            Form form = Json.form(Files.readAllBytes(file));
            var plans =
                    form.required("items", form.forms("items", 1, 100)).or(List.of()).stream()
                            .map(PlanCatalog::plan)
                            .toList();
            form.check();
            if (plans.stream().map(Plan::name).distinct().count() < plans.size()) {
                throw new IllegalArgumentException("names a file with two plans of one name");
            }
            return new PlanCatalog(plans);
        } catch (IOException e) {
            throw new IllegalArgumentException("names a file that cannot be read", e);
        } catch (MalformedJson | InvalidFields e) {
            throw new IllegalArgumentException(
                    "names a file that is no plan catalogue: " + e.getMessage(), e);
        }
    }

    private static Plan plan(Form form) {
        String name = form.required("name", form.text("name", 1, 50)).or("");
        int price = form.integer("price_monthly_usd", 0, 1_000_000).or(0);
        var features = form.textList("features", 100).or(List.of());
        var limits =
                form.required("limits", form.form("limits")).toOptional().map(PlanCatalog::limits);
        form.nothingElse();
        return new Plan(name, price, limits.orElseGet(PlanCatalog::unlimited), features);
    }

    private static Plan.Limits limits(Form form) {
        var limits =
                new Plan.Limits(
                        limit(form, "api_requests_per_minute"),
                        limit(form, "ingest_per_minute_per_source"),
                        limit(form, "events_per_month").stream().mapToLong(n -> n).findFirst(),
                        limit(form, "sources"),
                        limit(form, "concurrent_streams"),
                        retention(form));
        form.nothingElse();
        return limits;
    }

    /// To be said, because what is over it is erased; null keeps everything.
    private static Retention retention(Form form) {
        var days = form.integer("retention_days", 1, MOST_DAYS);
        if (!(days instanceof Patch.Clear<Integer>)) {
            form.required("retention_days", days);
        }
        return days.toOptional().map(Retention::ofDays).orElse(Retention.UNLIMITED);
    }

    private static OptionalInt limit(Form form, String field) {
        return form.integer(field, 0, Integer.MAX_VALUE).toOptional().stream()
                .mapToInt(n -> n)
                .findFirst();
    }

    private static Plan.Limits unlimited() {
        var none = OptionalInt.empty();
        return new Plan.Limits(none, none, OptionalLong.empty(), none, none, Retention.UNLIMITED);
    }

    public Optional<Plan> find(String name) {
        return plans.stream().filter(plan -> plan.name().equals(name)).findFirst();
    }

    /// The plan of that name; one that a new catalogue no longer has counts as the catalogue's
    /// last.
    public Plan named(String name) {
        for (var plan : plans) { // asked for each webhook
            if (plan.name().equals(name)) {
                return plan;
            }
        }
        return plans.getLast();
    }

    /// The plan that a workspace has now.
    public Plan of(Tx tx, WorkspaceId workspace) {
        return named(WorkspaceStore.find(tx, workspace).orElseThrow().plan());
    }

    /// The longest that any plan keeps events.
    public Retention longestRetention() {
        int longest = 0;
        for (var plan : plans) {
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

    JsonObject json() {
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
                                .put("concurrent_streams", number(limits.concurrentStreams()))
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
