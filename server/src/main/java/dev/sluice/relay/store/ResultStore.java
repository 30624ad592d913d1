package dev.sluice.relay.store;

import dev.sluice.platform.db.CopyRows;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.Attempt;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/// Writes batches of results. Safe to repeat: what was written before changes nothing.
///
/// The delete from work is the fence. A success is taken from anyone; everything else only while
/// the row stands at the attempt it speaks of. A success that comes when the row stands further on,
/// because another node took its attempt for lost, is written as the attempt that would have come
/// next: so the numbers of a delivery's attempts are 1, 2, 3 … without exception.
final class ResultStore {

    private ResultStore() {}

    /// What of the batch took effect, in its order and as it was written.
    static List<Settled> write(Tx tx, List<Settled> batch, UUID batchId, long epoch) {
        // By identity: a batch may hold several results of one delivery.
        var taken = new IdentityHashMap<Settled, Settled>();
        finish(tx, batch, taken);
        retry(tx, batch).forEach(settled -> taken.put(settled, settled));
        release(tx, batch, epoch).forEach(settled -> taken.put(settled, settled));
        var effective = batch.stream().map(taken::remove).filter(Objects::nonNull).toList();
        writeHistory(tx, effective);
        writeLedger(tx, effective, batchId);
        return effective;
    }

    private static void finish(Tx tx, List<Settled> batch, Map<Settled, Settled> taken) {
        var successes = new ArrayList<Settled.Finished>();
        Map<Integer, List<Settled.Finished>> failures = new TreeMap<>();
        for (var settled : batch) {
            if (settled instanceof Settled.Finished finished) {
                if (finished.isSuccess()) {
                    successes.add(finished);
                } else {
                    failures.computeIfAbsent(settled.work().attempts(), _ -> new ArrayList<>())
                            .add(finished);
                }
            }
        }
        if (!successes.isEmpty()) {
            var deleted =
                    tx.query(
                            """
                            delete from delivery_work
                             where id = any (?) and source_id = any (?)
                            returning id, attempts
                            """,
                            row -> Map.entry(row.uuid("id"), row.integer("attempts")),
                            ids(successes),
                            sources(successes));
            takeFirstOfEach(successes, deleted, taken);
        }
        failures.forEach((attempts, settled) -> {
            var deleted =
                    tx.query(
                            """
                            delete from delivery_work
                             where id = any (?) and source_id = any (?) and attempts = ?
                            returning id
                            """,
                            row -> Map.entry(row.uuid("id"), attempts),
                            ids(settled),
                            sources(settled),
                            attempts);
            takeFirstOfEach(settled, deleted, taken);
        });
    }

    /// @param deleted rows of these deliveries, with the attempts made before
    private static void takeFirstOfEach(
            List<Settled.Finished> settled,
            List<Map.Entry<UUID, Integer>> deleted,
            Map<Settled, Settled> taken) {
        var left = new HashMap<UUID, Integer>();
        deleted.forEach(entry -> left.put(entry.getKey(), entry.getValue()));
        for (var finished : settled) {
            @Nullable Integer made = left.remove(finished.work().id().value());
            if (made != null) {
                taken.put(finished, finished.after(made));
            }
        }
    }

    private static List<UUID> ids(List<? extends Settled> settled) {
        return settled.stream().map(one -> one.work().id().value()).toList();
    }

    private static Set<UUID> sources(List<? extends Settled> settled) {
        var sources = new HashSet<UUID>();
        settled.forEach(one -> sources.add(one.work().source().value()));
        return sources;
    }

    private static List<Settled> retry(Tx tx, List<Settled> batch) {
        var retried = batch.stream().filter(Settled.Retried.class::isInstance).toList();
        return changed(
                retried,
                tx.updateEach(
                        """
                        update delivery_work
                           set owner = null, next_at = ?, attempts = ?, recoveries = 0
                         where id = ? and source_id = ? and attempts = ?
                        """,
                        retried.stream()
                                .map(Settled.Retried.class::cast)
                                .map(ResultStore::retryArguments)
                                .toList()));
    }

    private static List<?> retryArguments(Settled.Retried retried) {
        var work = retried.work();
        return List.of(
                retried.nextAt(),
                retried.attempt().number(),
                work.id().value(),
                work.source().value(),
                work.attempts());
    }

    private static List<Settled> release(Tx tx, List<Settled> batch, long epoch) {
        var released = batch.stream().filter(Settled.Released.class::isInstance).toList();
        return changed(
                released,
                tx.updateEach(
                        """
                        update delivery_work
                           set owner = null, next_at = ?
                         where id = ? and source_id = ? and owner = ?
                        """,
                        released.stream()
                                .map(Settled.Released.class::cast)
                                .map(one ->
                                        List.of(
                                                one.nextAt(),
                                                one.work().id().value(),
                                                one.work().source().value(),
                                                epoch))
                                .toList()));
    }

    private static List<Settled> changed(List<Settled> settled, int[] counts) {
        var changed = new ArrayList<Settled>();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] == 1) {
                changed.add(settled.get(i));
            }
        }
        return changed;
    }

    private static void writeHistory(Tx tx, List<Settled> effective) {
        var deliveries = new CopyRows();
        var attempts = new CopyRows();
        for (var settled : effective) {
            switch (settled) {
                case Settled.Finished finished -> addDelivery(deliveries, finished);
                case Settled.Retried retried -> addAttempt(attempts, retried);
                case Settled.Released _ -> {}
            }
        }
        if (!deliveries.isEmpty()) {
            tx.copy(
                    """
                    copy delivery (id, finished_at, created_at, source_id, connection_id, status, trigger,
                                   attempts, attempted_at, revision, latency_ms, response_status,
                                   error_code, error_message, response_body)
                    from stdin (format binary)
                    """,
                    deliveries);
        }
        if (!attempts.isEmpty()) {
            tx.copy(
                    """
                    copy attempt (delivery_id, source_id, number, attempted_at, revision, latency_ms,
                                  response_status, error_code, error_message, response_body)
                    from stdin (format binary)
                    """,
                    attempts);
        }
    }

    private static void addDelivery(CopyRows rows, Settled.Finished finished) {
        var work = finished.work();
        rows.row(15).uuid(work.id().value()).instant(finished.at());
        work.createdAt().ifPresentOrElse(rows::instant, rows::nothing);
        rows.uuid(work.source().value())
                .uuid(work.connection().value())
                .int2(finished.status().number())
                .int2(work.trigger().number())
                .int2(finished.attempt().map(Attempt::number).orElse(work.attempts()));
        finished.attempt().map(Attempt::attemptedAt).ifPresentOrElse(rows::instant, rows::nothing);
        finished.attempt().map(Attempt::revision).ifPresentOrElse(rows::uuid, rows::nothing);
        finished.attempt()
                .map(attempt -> (int) attempt.latency().toMillis())
                .ifPresentOrElse(rows::int4, rows::nothing);
        addAnswer(rows, finished.attempt(), finished.reason());
    }

    private static void addAttempt(CopyRows rows, Settled.Retried retried) {
        var attempt = retried.attempt();
        rows.row(10)
                .uuid(retried.work().id().value())
                .uuid(retried.work().source().value())
                .int2(attempt.number())
                .instant(attempt.attemptedAt())
                .uuid(attempt.revision())
                .int4((int) attempt.latency().toMillis());
        addAnswer(rows, Optional.of(attempt), Optional.empty());
    }

    /// The columns that both tables end with. The body as bytes: text could not hold every
    /// character. A message may quote an answer, so it too may have the one that text cannot hold.
    private static void addAnswer(
            CopyRows rows, Optional<Attempt> attempt, Optional<ErrorCode> reason) {
        attempt.flatMap(Attempt::responseStatus).ifPresentOrElse(rows::int2, rows::nothing);
        reason.or(() -> attempt.flatMap(Attempt::errorCode))
                .map(ErrorCode::number)
                .ifPresentOrElse(rows::int2, rows::nothing);
        rows.text(attempt.flatMap(Attempt::errorMessage).map(text -> text.replace('\0', '\ufffd')));
        attempt.flatMap(Attempt::responseBody)
                .map(body -> body.getBytes(StandardCharsets.UTF_8))
                .ifPresentOrElse(rows::bytes, rows::nothing);
    }

    private static void writeLedger(Tx tx, List<Settled> effective, UUID batchId) {
        var ledger = new LedgerRow();
        for (var settled : effective) {
            if (settled instanceof Settled.Finished(var work, DeliveryStatus status, _, _, _)) {
                ledger.outcome(work.connection(), work.id().event(), status);
            }
        }
        if (!ledger.isEmpty()) {
            ledger.write(tx, batchId, effective.getFirst().work().source());
        }
    }
}
