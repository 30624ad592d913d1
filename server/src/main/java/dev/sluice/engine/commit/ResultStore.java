package dev.sluice.engine.commit;

import dev.sluice.engine.Attempt;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.ledger.LedgerRow;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.platform.db.NewRows;
import dev.sluice.platform.db.SqlStatement;
import dev.sluice.platform.db.Tx;

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
import java.util.function.BiConsumer;

/// Writes batches of delivery results. Writes are safe to repeat: a result that was written before
/// has no effect.
///
/// The row in `delivery_work` decides whether a result is still valid. A success is accepted from
/// any node, as long as the row exists. Any other final result, or a retry, is accepted only if no
/// other attempt has been recorded since the delivery was read. A release is accepted only from the
/// node that owns the row.
///
/// While an attempt is still running, another node may consider it lost and make further attempts.
/// If the first attempt then succeeds, its success is recorded as the latest attempt. A delivery's
/// recorded attempts are therefore numbered 1, 2, 3 and so on, without gaps.
public final class ResultStore {

    private static final String DELIVERY_COLUMNS =
            """
            delivery (id, finished_at, created_at, source_id, connection_id, status, trigger,
                      attempts, attempted_at, revision, configuration, latency_ms,
                      response_status, error_code, error_message, response_body)
            """;

    private static final String ATTEMPT_COLUMNS =
            """
            attempt (delivery_id, source_id, number, attempted_at, revision, configuration,
                     latency_ms, response_status, error_code, error_message, response_body)
            """;

    private ResultStore() {}

    /// Writes the batch. Returns the results that changed a row, in batch order and with the
    /// attempt numbers that were written.
    ///
    /// @param epoch this node's epoch; a release is accepted only for a row that is owned under
    ///   this epoch
    public static List<DeliveryResult> write(
            Tx tx, List<DeliveryResult> batch, UUID batchId, long epoch) {
        return write(tx, batch, batchId, epoch, tx::insert);
    }

    /// Does what [#write] does, and then commits the transaction, if possible in the round trip
    /// that writes the last rows. Nothing may run in the transaction after that.
    public static List<DeliveryResult> writeLast(
            Tx tx, List<DeliveryResult> batch, UUID batchId, long epoch) {
        return write(tx, batch, batchId, epoch, tx::insertLast);
    }

    private static List<DeliveryResult> write(
            Tx tx,
            List<DeliveryResult> batch,
            UUID batchId,
            long epoch,
            BiConsumer<List<SqlStatement>, List<Tx.Insertion>> insert) {
        // The map compares by identity, so that each result in the batch has its own entry, even if
        // two results are equal.
        var taken = new IdentityHashMap<DeliveryResult, DeliveryResult>();
        finish(tx, batch, taken);
        retry(tx, batch).forEach(result -> taken.put(result, result));
        release(tx, batch, epoch).forEach(result -> taken.put(result, result));
        var effective = batch.stream().map(taken::remove).filter(Objects::nonNull).toList();
        writeHistory(effective, batchId, insert);
        return effective;
    }

    private static void finish(
            Tx tx, List<DeliveryResult> batch, Map<DeliveryResult, DeliveryResult> taken) {
        var successes = new ArrayList<DeliveryResult.FinalResult>();
        Map<Integer, List<DeliveryResult.FinalResult>> failures = new TreeMap<>();
        for (var result : batch) {
            if (result instanceof DeliveryResult.FinalResult finished) {
                if (finished.isSuccess()) {
                    successes.add(finished);
                } else {
                    failures.computeIfAbsent(result.delivery().attempts(), _ -> new ArrayList<>())
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

    /// For each deleted row, records that delivery's first result as the one that was written.
    ///
    /// @param deleted the ids of the deleted rows, each with the number of attempts that the row
    ///   had recorded
    private static void takeFirstOfEach(
            List<DeliveryResult.FinalResult> settled,
            List<Map.Entry<UUID, Integer>> deleted,
            Map<DeliveryResult, DeliveryResult> taken) {
        var left = new HashMap<UUID, Integer>();
        deleted.forEach(entry -> left.put(entry.getKey(), entry.getValue()));
        for (var finished : settled) {
            @Nullable Integer made = left.remove(finished.delivery().id().value());
            if (made != null) {
                taken.put(finished, finished.renumberedAfter(made));
            }
        }
    }

    private static List<UUID> ids(List<? extends DeliveryResult> settled) {
        return settled.stream().map(one -> one.delivery().id().value()).toList();
    }

    private static Set<UUID> sources(List<? extends DeliveryResult> settled) {
        var sources = new HashSet<UUID>();
        settled.forEach(one -> sources.add(one.delivery().source().value()));
        return sources;
    }

    private static List<DeliveryResult> retry(Tx tx, List<DeliveryResult> batch) {
        var retried = batch.stream().filter(DeliveryResult.RetryResult.class::isInstance).toList();
        return changed(
                retried,
                tx.updateEach(
                        """
                        update delivery_work
                           set owner = null, next_at = ?, attempts = ?, recoveries = 0,
                               undecided = false
                         where id = ? and source_id = ? and attempts = ?
                        """,
                        retried.stream()
                                .map(DeliveryResult.RetryResult.class::cast)
                                .map(ResultStore::retryArguments)
                                .toList()));
    }

    private static List<?> retryArguments(DeliveryResult.RetryResult retried) {
        var delivery = retried.delivery();
        return List.of(
                retried.nextAt(),
                retried.attempt().number(),
                delivery.id().value(),
                delivery.source().value(),
                delivery.attempts());
    }

    private static List<DeliveryResult> release(Tx tx, List<DeliveryResult> batch, long epoch) {
        var released =
                batch.stream().filter(DeliveryResult.ReleaseResult.class::isInstance).toList();
        return changed(
                released,
                tx.updateEach(
                        """
                        update delivery_work
                           set owner = null, next_at = ?
                         where id = ? and source_id = ? and owner = ?
                        """,
                        released.stream()
                                .map(DeliveryResult.ReleaseResult.class::cast)
                                .map(one ->
                                        List.of(
                                                one.nextAt(),
                                                one.delivery().id().value(),
                                                one.delivery().source().value(),
                                                epoch))
                                .toList()));
    }

    private static List<DeliveryResult> changed(List<DeliveryResult> settled, int[] counts) {
        var changed = new ArrayList<DeliveryResult>();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] == 1) {
                changed.add(settled.get(i));
            }
        }
        return changed;
    }

    /// Writes the history: the finished deliveries, each with its last attempt; the failed attempts
    /// that will be retried; and the usage.
    private static void writeHistory(
            List<DeliveryResult> effective,
            UUID batchId,
            BiConsumer<List<SqlStatement>, List<Tx.Insertion>> insert) {
        var deliveries = NewRows.of(effective.size());
        var attempts = NewRows.of(effective.size());
        var ledger = new LedgerRow();
        for (var result : effective) {
            addUsage(ledger, result);
            switch (result) {
                case DeliveryResult.FinalResult finished -> addDelivery(deliveries, finished);
                case DeliveryResult.RetryResult retried -> addAttempt(attempts, retried);
                case DeliveryResult.ReleaseResult _ -> {}
            }
        }
        if (effective.isEmpty()) {
            return;
        }
        insert.accept(
                LedgerStore.statements(ledger, batchId, effective.getFirst().delivery().source()),
                List.of(
                        new Tx.Insertion(DELIVERY_COLUMNS, deliveries),
                        new Tx.Insertion(ATTEMPT_COLUMNS, attempts)));
    }

    private static void addDelivery(NewRows rows, DeliveryResult.FinalResult finished) {
        var delivery = finished.delivery();
        var attempt = finished.attempt();
        rows.row(16)
                .uuid(delivery.id().value())
                .instant(finished.finishedAt())
                .instant(delivery.createdAt())
                .uuid(delivery.source().value())
                .uuid(delivery.connection().value())
                .int2(finished.status().number())
                .int2(delivery.trigger().number())
                .int2(attempt.map(Attempt::number).orElse(delivery.attempts()))
                .instant(attempt.map(Attempt::attemptedAt))
                .uuid(attempt.map(Attempt::revision))
                .int4(attempt.map(made -> (int) made.configuration())) // the low 32 bits
                .int4(attempt.map(made -> (int) made.latency().toMillis()));
        addResponseColumns(rows, attempt, finished.reason());
    }

    private static void addAttempt(NewRows rows, DeliveryResult.RetryResult retried) {
        var attempt = retried.attempt();
        rows.row(11)
                .uuid(retried.delivery().id().value())
                .uuid(retried.delivery().source().value())
                .int2(attempt.number())
                .instant(attempt.attemptedAt())
                .uuid(attempt.revision())
                .int4((int) attempt.configuration())
                .int4((int) attempt.latency().toMillis());
        addResponseColumns(rows, Optional.of(attempt), Optional.empty());
    }

    /// Adds the columns that both tables end with. The body is stored as bytes, because `text`
    /// cannot contain U+0000. A message may quote a response, so U+0000 in a message is replaced.
    private static void addResponseColumns(
            NewRows rows, Optional<Attempt> attempt, Optional<ErrorCode> reason) {
        var error = reason.or(() -> attempt.flatMap(Attempt::errorCode));
        var message = attempt.flatMap(Attempt::errorMessage);
        var body = attempt.flatMap(Attempt::responseBody);
        rows.int2(attempt.flatMap(Attempt::responseStatus))
                .int2(error.map(ErrorCode::number))
                .text(message.map(text -> text.replace('\0', '\ufffd')))
                .bytes(body.map(text -> text.getBytes(StandardCharsets.UTF_8)));
    }

    private static void addUsage(LedgerRow ledger, DeliveryResult result) {
        var delivery = result.delivery();
        var event = delivery.id().event();
        if (result instanceof DeliveryResult.FinalResult finished) {
            ledger.addOutcome(delivery.connection(), delivery.id(), finished.status());
            if (finished.status() == DeliveryStatus.FILTERED) {
                ledger.removeDelivery(delivery.connection(), event, delivery.trigger());
            }
        }
        result.attemptMade()
                .ifPresent(attempt -> ledger.addLatency(delivery.connection(), event, attempt));
    }
}
