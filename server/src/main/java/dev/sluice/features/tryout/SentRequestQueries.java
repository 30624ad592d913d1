package dev.sluice.features.tryout;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Payload;
import dev.sluice.engine.SentEvidence;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Reads an attempt's stored data, from which its request can be rebuilt.
final class SentRequestQueries {

    /// @param configuration the low 32 bits of the configuration version that the attempt was made
    ///   with
    /// @param wasSent whether the request was sent; empty if this is unknown
    record StoredAttempt(
            SourceId source,
            ConnectionId connection,
            Instant attemptedAt,
            int configuration,
            Optional<Boolean> wasSent) {}

    private static final long LOW_BITS = 0xffff_ffffL;

    private SentRequestQueries() {}

    /// Returns the delivery's attempt with this number. Returns empty if there is none, or if the
    /// delivery's source is in the trash or belongs to another workspace.
    static Optional<StoredAttempt> attempt(
            Tx tx, WorkspaceId workspace, DeliveryId delivery, int number) {
        var sources =
                tx.query(
                        "select id from source where workspace_id = ? and trashed_at is null",
                        row -> row.uuid("id"),
                        workspace.value());
        return last(tx, sources, delivery, number).or(() -> earlier(tx, sources, delivery, number));
    }

    private static Optional<StoredAttempt> last(
            Tx tx, List<UUID> sources, DeliveryId delivery, int number) {
        return tx.findOne(
                """
                select source_id, connection_id, attempted_at, configuration, error_code, error_message,
                       response_status
                  from delivery
                 where id = ? and source_id = any (?) and attempts = ? and configuration is not null
                """,
                SentRequestQueries::storedAttempt,
                delivery.value(),
                sources,
                number);
    }

    private static Optional<StoredAttempt> earlier(
            Tx tx, List<UUID> sources, DeliveryId delivery, int number) {
        return tx.findOne(
                """
                select attempt.source_id, coalesce(ended.connection_id, work.connection_id) as connection_id,
                       attempt.attempted_at, attempt.configuration, attempt.error_code,
                       attempt.error_message, attempt.response_status
                  from attempt
                  left join delivery as ended on ended.id = delivery_id and ended.source_id = attempt.source_id
                  left join delivery_work as work on work.id = delivery_id and work.source_id = attempt.source_id
                 where delivery_id = ? and number = ? and attempt.source_id = any (?)
                """,
                SentRequestQueries::storedAttempt,
                delivery.value(),
                number,
                sources);
    }

    private static StoredAttempt storedAttempt(Row row) throws SQLException {
        return new StoredAttempt(
                new SourceId(row.uuid("source_id")),
                new ConnectionId(row.uuid("connection_id")),
                row.instant("attempted_at"),
                row.integer("configuration"),
                SentEvidence.wasSent(
                        row.integerOrNone("error_code").map(ErrorCode::fromNumber),
                        row.textOrNone("error_message"),
                        row.integerOrNone("response_status")));
    }

    /// Returns the newest configuration version whose low 32 bits are `lowBits`.
    static long version(Tx tx, int lowBits) {
        return version(WorkspaceStore.configVersion(tx), lowBits);
    }

    static long version(long newest, int lowBits) {
        return newest - ((newest - lowBits) & LOW_BITS);
    }

    /// Returns the configuration version from which on all settings of a connection, its source and
    /// its destination are known. Older settings may have been deleted.
    static long historyFrom(Tx tx, ConnectionId connection) {
        return tx.findOne(
                        """
                        select greatest(connection.history_from, source.history_from,
                                        destination.history_from) as history_from
                          from connection
                          join source on source.id = source_id
                          join destination on destination.id = destination_id
                         where connection.id = ?
                        """,
                        row -> row.number("history_from"),
                        connection.value())
                .orElse(0L);
    }

    static Optional<Payload> payload(Tx tx, SourceId source, DeliveryId delivery) {
        return tx.findOne(
                "select method, headers, body from event where id = ? and source_id = ?",
                row ->
                        Payload.fromStored(row.bytes("headers"), row.bytes("body"))
                                .withMethod(row.text("method")),
                delivery.event().value(),
                source.value());
    }
}
