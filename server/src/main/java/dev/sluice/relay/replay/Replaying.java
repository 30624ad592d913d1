package dev.sluice.relay.replay;

import dev.sluice.account.plan.Retention;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.routing.Routing;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.store.Lane;
import dev.sluice.relay.store.LaneStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// Works on replays, one chunk of each job a round, beside other nodes that do the same.
///
/// A chunk makes resends in one transaction and moves its job on in another, because their tables
/// are not for one transaction. So a chunk is made to be repeated: what the job did already is
/// known by its creation time and is only counted.
public final class Replaying implements Loop.Step {

    /// @param chunk events at once
    /// @param waiting resends of one connection that may wait, while a job goes on
    record Sizes(int chunk, int waiting) {
        static final Sizes USUAL = new Sizes(1_000, 10_000);
    }

    private static final Logger log = LoggerFactory.getLogger(Replaying.class);

    private static final Duration LEASE = Duration.ofSeconds(15);

    /// So much earlier than the database this process says that a lease is over.
    private static final Duration MARGIN = Duration.ofSeconds(5);

    private static final int MOST_JOBS = 64;

    /// Until a job that has to wait, or failed, is looked at again.
    private static final Duration REST = Duration.ofSeconds(1);

    /// Rounds of a job that fail one after the other, before the job itself is given up.
    private static final int MOST_FAILURES = 30;

    private static final Duration KEPT = Duration.ofDays(30);
    private static final Duration TIDYING = Duration.ofHours(1);

    private final Db db;
    private final Routing routing;
    private final Function<WorkspaceId, Retention> retention;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final UUID owner;
    private final Sizes sizes;

    /// All owned by the thread of the rounds.
    private final Map<UUID, Instant> resting = new HashMap<>();

    private final Map<UUID, Integer> failures = new HashMap<>();
    private Instant nextTidying = Instant.MIN;

    /// A chunk may still be under way then.
    private volatile boolean hasLeft;

    /// @param retention of a workspace's events
    public Replaying(
            Db db,
            Routing routing,
            Function<WorkspaceId, Retention> retention,
            Uuid7 ids,
            InstantSource clock) {
        this(db, routing, retention, ids, clock, System::nanoTime, Sizes.USUAL);
    }

    Replaying(
            Db db,
            Routing routing,
            Function<WorkspaceId, Retention> retention,
            Uuid7 ids,
            InstantSource clock,
            LongSupplier nanos,
            Sizes sizes) {
        this.db = db;
        this.routing = routing;
        this.retention = retention;
        this.ids = ids;
        this.clock = clock;
        this.nanos = nanos;
        this.owner = ids.next();
        this.sizes = sizes;
    }

    @Override
    public boolean run() {
        var now = clock.instant();
        tidy(now);
        resting.values().removeIf(until -> !until.isAfter(now));
        boolean isMore = false;
        for (var id : db.call(tx -> ReplayStore.open(tx, owner, MOST_JOBS))) {
            if (!resting.containsKey(id)) {
                isMore |= look(id);
            }
        }
        return isMore;
    }

    private void tidy(Instant now) {
        if (now.isBefore(nextTidying)) {
            return;
        }
        nextTidying = now.plus(TIDYING);
        int forgotten = db.call(tx -> ReplayStore.forget(tx, now.minus(KEPT)));
        log.atDebug().addKeyValue("replays", forgotten).log("replay.forgotten");
    }

    /// True when there is more of it to do at once. One that fails keeps none of the others.
    private boolean look(UUID id) {
        var held = hold(id);
        if (held.isEmpty()) {
            return false;
        }
        try {
            boolean isMore = work(held.get());
            failures.remove(id);
            return isMore;
        } catch (RuntimeException e) {
            if (e instanceof DbException refused && refused.isConnectionLost()) {
                throw e;
            }
            failed(held.get().replay(), e);
            return false;
        }
    }

    private Optional<Held> hold(UUID id) {
        long until = nanos.getAsLong() + LEASE.minus(MARGIN).toNanos();
        return db.call(tx ->
                ReplayStore.hold(tx, id, owner, LEASE)
                        .map(replay -> new Held(replay, ReplayStore.beside(tx, replay), until)));
    }

    /// No other took it, as far as that can be known without asking the database.
    private boolean isStillHeld(Held job) {
        return !hasLeft && nanos.getAsLong() - job.until() < 0;
    }

    private boolean work(Held job) {
        var replay = job.replay();
        if (replay.status() != Replay.Status.RUNNING) {
            close(replay);
            return false;
        }
        var obstacle = obstacle(replay);
        if (obstacle.isPresent()) {
            stopAt(obstacle.get(), replay);
            return false;
        }
        return !step(job);
    }

    private Optional<Obstacle> obstacle(Replay replay) {
        var connection = replay.selection().connection();
        return routing.gone(connection)
                .map(Obstacle::of)
                .or(() -> routing.route(connection).flatMap(Obstacle::of))
                .or(() -> Obstacle.of(waiting(replay), sizes.chunk(), sizes.waiting()));
    }

    private void stopAt(Obstacle obstacle, Replay replay) {
        switch (obstacle) {
            case Obstacle.End(String reason) -> fail(replay, reason);
            case Obstacle.Rest(String reason) -> rest(replay, reason);
        }
    }

    /// True when that was the last chunk, or it cannot be made now.
    private boolean step(Held job) {
        var replay = job.replay();
        var selection = unexpired(replay);
        var scan =
                db.call(tx -> {
                    Chunk.prepare(tx);
                    return Scan.read(tx, selection, sizes.chunk());
                });
        var chunk =
                scan.events().isEmpty()
                        ? Optional.of(new Chunk(0, 0))
                        : db.call(tx -> {
                            Chunk.prepare(tx);
                            return Chunk.resend(
                                    tx,
                                    job,
                                    selection,
                                    scan.events(),
                                    () -> isStillHeld(job),
                                    clock,
                                    ids.next());
                        });
        var now = clock.instant();
        if (chunk.isEmpty()) {
            log.atWarn().addKeyValue("replay_id", replay.id()).log("replay.lease_over");
            resting.put(replay.id(), now.plus(REST));
            return true;
        }
        db.run(tx -> ReplayStore.advance(tx, replay, owner, chunk.get(), scan.next(), now));
        if (chunk.get().created() > 0) {
            wake(db, selection, now);
        }
        return scan.next().isEmpty();
    }

    /// Lets what waits there be found now rather than by the sweep.
    static void wake(Db db, Selection selection, Instant now) {
        var lane = new Lane(selection.connection(), Trigger.RESEND, selection.source());
        db.run(tx -> LaneStore.wake(tx, List.of(new LaneStore.Wake(lane, now))));
    }

    /// From where it stands, or from where events are still kept.
    private Selection unexpired(Replay replay) {
        var selection = replay.selection();
        var kept = Times.keptAfter(clock.instant(), retention.apply(replay.workspace()));
        return selection.from(Times.later(selection.after(), kept));
    }

    private int waiting(Replay replay) {
        return db.call(tx -> {
            Chunk.prepare(tx);
            return tx.single(
                    """
                    select count(*) as n
                      from (select 1
                              from delivery_work
                             where source_id = ? and connection_id = ? and trigger = 2
                               and next_at is not null
                             limit ?) as waiting
                    """,
                    row -> row.integer("n"),
                    replay.selection().source().value(),
                    replay.selection().connection().value(),
                    sizes.waiting());
        });
    }

    private void rest(Replay replay, String reason) {
        var now = clock.instant();
        resting.put(replay.id(), now.plus(REST));
        db.run(tx -> ReplayStore.rest(tx, replay, owner, reason, now));
    }

    private void fail(Replay replay, String reason) {
        db.run(tx -> ReplayStore.fail(tx, replay, owner, reason, clock.instant()));
        log.atInfo()
                .addKeyValue("replay_id", replay.id())
                .addKeyValue("reason", reason)
                .log("replay.failed");
    }

    private void failed(Replay replay, RuntimeException e) {
        int count = failures.merge(replay.id(), 1, Integer::sum);
        log.atWarn()
                .addKeyValue("replay_id", replay.id())
                .addKeyValue("times", count)
                .setCause(e)
                .log("replay.chunk_failed");
        resting.put(replay.id(), clock.instant().plus(REST));
        if (count >= MOST_FAILURES) {
            failures.remove(replay.id());
            fail(
                    replay,
                    "Stopped: a chunk of it failed again and again. The server's log says why.");
        }
    }

    /// Counts the chunk that was under way when it ended: whoever worked on it may have died.
    private void close(Replay replay) {
        int counted = Chunk.count(db, replay, sizes.chunk());
        db.run(tx -> ReplayStore.close(tx, replay, owner, counted));
        failures.remove(replay.id());
    }

    /// Lets another node go on at once.
    public void leave() {
        hasLeft = true;
        db.run(tx -> ReplayStore.leave(tx, owner));
    }
}
