package dev.sluice.faults;

import dev.sluice.bench.load.LoadPattern;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayApi;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.sink.SinkBehaviour;
import dev.sluice.bench.sink.SinkProcess;

import tools.jackson.databind.JsonNode;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/// Fault 25: relays are killed while many dead letters, by default a million, are dismissed or
/// resent. Those with one response status are dismissed. Those with another status are resent:
/// first a limited number, then the rest. Relays are killed during each of these steps.
///
/// Meanwhile, other deliveries succeed and fail, and new dead letters arrive with the same response
/// status as those being dismissed.
final class DeadLetterFault implements Fault {

    private static final int DISMISSED_STATUS = 410;
    private static final int RESENT_STATUS = 503;

    /// The first resend job is limited to the number of matching dead letters divided by this
    /// value.
    private static final int LIMIT_SHARE = 3;

    /// Roughly how many seconds the first resend job would take if no relay were killed.
    private static final int RESEND_SECONDS = 60;

    private static final int FAILURES_PER_SECOND = 20;

    /// Long enough for a lease to expire and for a million deliveries to drain.
    private static final Duration JOB_TIMEOUT = Duration.ofMinutes(30);

    private Optional<DeadLetterHistory> history = Optional.empty();

    /// @param resends an SQL condition that selects the job's deliveries
    private record ResendJob(String id, String resends) {}

    @Override
    public void prepare(FaultTestbed testbed) {
        history = Optional.of(DeadLetterHistory.write(testbed, testbed.options().rows(1_000_000)));
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var kills =
                new TakeoverTable(testbed, "Relay killed", "during", "had been done when killed");
        try (var refusing = SinkProcess.start(new SinkBehaviour.FixedStatus(DISMISSED_STATUS));
                var failing = startFailures(testbed, refusing)) {
            failing.awaitMeasuring();
            dismiss(testbed, criteria, kills);
            long matching = letters("response_status = " + RESENT_STATUS);
            long limit = Math.max(1, matching / LIMIT_SHARE);
            var limited = startJob(testbed, Optional.of(limit), limit);
            killDuring(testbed, criteria, kills, "resend with limit", limited, limit);
            var rest = startJob(testbed, Optional.empty(), limit);
            killDuring(testbed, criteria, kills, "resend of the rest", rest, matching - limit);
            failing.finish();
            failing.awaitMeasured();
        }
        kills.addTo(criteria);
        Wait.until(JOB_TIMEOUT, () -> history().waiting() == 0);
        criteria.none("resends that still wait", history().waiting());
    }

    /// Starts sending events whose deliveries fail immediately, so that new dead letters keep being
    /// added.
    private static LoadProcess startFailures(FaultTestbed testbed, SinkProcess refusing) {
        var source =
                testbed.node(1)
                        .api()
                        .createConnectedSource(
                                "fails beside", refusing.url(), FaultTestbed.MAX_IN_FLIGHT);
        var pattern = new LoadPattern.ConstantRate(FAILURES_PER_SECOND);
        return LoadProcess.start(LoadPlan.of(pattern, 4, source.ingest()).sized(200));
    }

    /// Kills a relay during the dismissal. Then finishes the dismissal as a client would, by
    /// sending the failed request to the other relay with the cursor from the last response that
    /// the client received.
    private void dismiss(FaultTestbed testbed, Criteria criteria, TakeoverTable kills) {
        long matching = letters("response_status = " + DISMISSED_STATUS);
        var cursor = new AtomicReference<Optional<String>>(Optional.empty());
        var interrupted =
                CompletableFuture.runAsync(() -> dismissAll(testbed.node(0).api(), cursor));
        Wait.until(
                JOB_TIMEOUT,
                () -> history().count("dismissal", "true") > matching / 20 || interrupted.isDone());
        long before =
                kill(testbed, 0, kills, "dismissal", () -> history().count("dismissal", "true"));
        criteria.holds(
                "the dismissal was cut off", isCutOff(interrupted), before + " of " + matching);
        dismissAll(testbed.node(1).api(), cursor);
        String isMatching = "response_status = " + DISMISSED_STATUS;
        criteria.atLeast("dead letters to dismiss", 1, matching)
                .holds(
                        "all that match were dismissed",
                        dismissed(isMatching) == matching,
                        dismissed(isMatching) + " of " + matching)
                .none(
                        "dismissed, though they do not match",
                        dismissed("response_status is distinct from " + DISMISSED_STATUS));
    }

    /// Sends dismissal requests until nothing is left to dismiss.
    ///
    /// @param cursor where to begin. After each response, it is set to where that request stopped
    private static void dismissAll(RelayApi api, AtomicReference<Optional<String>> cursor) {
        do {
            cursor.set(next(dismissal(api, cursor.get())));
        } while (cursor.get().isPresent());
    }

    private static JsonNode dismissal(RelayApi api, Optional<String> cursor) {
        var fields = new HashMap<String, Object>(Map.of("response_status", DISMISSED_STATUS));
        cursor.ifPresent(text -> fields.put("cursor", text));
        return api.post("dlq/dismiss", fields, 200);
    }

    private static Optional<String> next(JsonNode page) {
        return Optional.of(page.path("next_cursor").asString("")).filter(text -> !text.isEmpty());
    }

    private static boolean isCutOff(CompletableFuture<Void> request) {
        try {
            request.join();
            return false;
        } catch (CompletionException e) {
            return e.getCause() instanceof UncheckedIOException;
        }
    }

    /// Returns the number of dead letters in the history that satisfy an SQL condition. Resends are
    /// not counted.
    private long letters(String condition) {
        return history().count("delivery", "status in (4, 5) and trigger = 1 and " + condition);
    }

    private long dismissed(String condition) {
        return history()
                .count(
                        "delivery",
                        "exists (select from dismissal where dismissal.source_id ="
                                + " delivery.source_id and delivery_id = id) and "
                                + condition);
    }

    /// @param pace the number of resends that the job should make in [#RESEND_SECONDS]
    private static ResendJob startJob(FaultTestbed testbed, Optional<Long> limit, long pace) {
        var fields =
                new HashMap<String, Object>(
                        Map.of(
                                "response_status",
                                RESENT_STATUS,
                                "per_second",
                                Math.clamp(pace / RESEND_SECONDS, 1, 10_000)));
        limit.ifPresent(number -> fields.put("limit", number));
        var created = testbed.node(0).api().post("dlq/resend", fields, 202);
        String id = created.path("replay_id").asString("");
        if (id.isEmpty()) {
            throw new IllegalStateException("nothing to resend: " + created);
        }
        return new ResendJob(
                id,
                "trigger = 2 and created_at = (select created_at from replay_job where id = '%s')"
                        .formatted(id));
    }

    /// Kills each relay in turn, because any of them may be working on the job. Then waits until
    /// the job has ended.
    private void killDuring(
            FaultTestbed testbed,
            Criteria criteria,
            TakeoverTable kills,
            String name,
            ResendJob job,
            long expected) {
        for (int place = 0; place < testbed.spec().nodes(); place++) {
            long share = expected * (place + 1) / (testbed.spec().nodes() + 1);
            Wait.until(JOB_TIMEOUT, () -> counted(testbed, job) >= share || hasEnded(testbed, job));
            long done = kill(testbed, place, kills, name, () -> counted(testbed, job));
            criteria.holds(
                    "%s: relay %d died before its end".formatted(name, place + 1),
                    done < expected,
                    done + " of " + expected);
        }
        Wait.until(JOB_TIMEOUT, () -> hasEnded(testbed, job));
        long stored = history().countStored(job.resends());
        criteria.holds(
                        name + ": completed",
                        testbed.node(0)
                                .api()
                                .get("replays/" + job.id())
                                .path("status")
                                .asString("")
                                .equals("completed"))
                .holds(
                        name + ": as many resends as expected are stored",
                        stored == expected,
                        stored + " of " + expected)
                .holds(
                        name + ": the job counted as many",
                        counted(testbed, job) == expected,
                        counted(testbed, job) + " of " + expected);
    }

    private static long counted(FaultTestbed testbed, ResendJob job) {
        return testbed.queries()
                .number("select created from replay_job where id = '%s'".formatted(job.id()));
    }

    private static boolean hasEnded(FaultTestbed testbed, ResendJob job) {
        return testbed.queries()
                        .number(
                                "select count(*) from replay_job where id = '%s' and finished_at is null"
                                        .formatted(job.id()))
                == 0;
    }

    /// Kills a relay, and restarts it once the other relay has taken over its work. Returns the
    /// value of `progress` right after the kill.
    private static long kill(
            FaultTestbed testbed,
            int place,
            TakeoverTable kills,
            String during,
            LongSupplier progress) {
        RelayProcess victim = testbed.node(place);
        var owned = testbed.ownedWork(victim);
        victim.kill();
        long deliveries = owned.deliveries();
        long done = progress.getAsLong();
        double seconds = owned.secondsUntilTakenOver();
        victim.restart();
        kills.row(during, deliveries, seconds, done);
        return done;
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        long late =
                testbed.queries()
                        .number(
                                """
                                select count(*)
                                  from dismissal
                                  join delivery on delivery.source_id = dismissal.source_id and id = delivery_id
                                 where finished_at > dismissed_at
                                """);
        long early =
                testbed.queries()
                        .number(
                                """
                                select count(*)
                                  from delivery
                                  left join dismissal on dismissal.source_id = delivery.source_id and delivery_id = id
                                 where status = 4 and response_status = %d and dismissed_at is null
                                   and finished_at < (select min(dismissed_at) from dismissal)
                                """
                                        .formatted(DISMISSED_STATUS));
        long added =
                testbed.queries()
                        .number(
                                "select count(*) from delivery where status = 4 and not "
                                        + history().isOwn("source_id"));
        long strangers =
                history()
                        .count(
                                "delivery",
                                """
                                trigger = 2 and not exists (
                                  select from delivery as letter
                                   where letter.connection_id = delivery.connection_id
                                     and left(letter.id::text, 33) = left(delivery.id::text, 33)
                                     and letter.trigger <> 2
                                     and letter.response_status = %d)
                                """
                                        .formatted(RESENT_STATUS));
        long repeated =
                history().count("delivery", "trigger = 2")
                        - testbed.queries()
                                .number(
                                        "select count(distinct (connection_id, left(id::text, 33)))"
                                                + " from delivery where trigger = 2 and "
                                                + history().isOwn("source_id"));
        var arrivals = history().arrivals("trigger = 2");
        criteria.atLeast("dead letters that were added meanwhile", 1, added)
                .none("dismissed, though they ended after the request", late)
                .none("not dismissed, though they ended before it", early)
                .none("resends of dead letters that do not match", strangers)
                .none("dead letters that were resent twice", repeated)
                .none("resends that did not arrive", arrivals.missing())
                .none("arrivals of what was not resent", arrivals.unexpected())
                .atMost(
                        "resends that arrived more than once",
                        testbed.allowedDuplicates(),
                        arrivals.repeated());
        testbed.remarkFailures(criteria);
        history().close();
    }

    private DeadLetterHistory history() {
        return history.orElseThrow();
    }
}
