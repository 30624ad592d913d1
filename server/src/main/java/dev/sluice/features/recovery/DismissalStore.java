package dev.sluice.features.recovery;

import dev.sluice.engine.DeletedWorkspace;
import dev.sluice.engine.DeliveryStatusSql;
import dev.sluice.engine.ResolvedSql;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Stores which dead letters have been dismissed, with one row for each. Dead letters are dismissed
/// and undismissed in chunks, oldest events first.
public final class DismissalStore {

    /// The result of one chunk.
    ///
    /// @param changed the number of dead letters that were dismissed or undismissed
    /// @param last the last delivery that the chunk checked; empty if no delivery was left to check
    record DismissalChunk(int changed, Optional<UUID> last) {}

    private DismissalStore() {}

    /// Checks the first `limit` dead letters in the range `ids`, and dismisses those that match the
    /// criteria and are not resolved.
    ///
    /// @param ids the range of delivery ids that still have to be checked
    /// @param asOf the time of the dismissal; dead letters that ended later are not dismissed
    static DismissalChunk dismiss(
            Tx tx,
            SourceId source,
            List<UUID> connections,
            DeadLetterCriteria criteria,
            IdRange ids,
            Instant asOf,
            int limit) {
        var arguments =
                new ArrayList<Object>(List.of(source.value(), ids.low(), ids.high(), limit));
        String conditions = conditions(criteria, connections, arguments);
        arguments.addAll(List.of(asOf, asOf));
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.JIT);
        return tx.single(
                """
                with page as materialized (
                  select id, source_id, connection_id, status, error_code, response_status, finished_at
                    from delivery
                   where source_id = ? and id >= ? and id < ? and %s
                   order by id
                   limit ?
                ), wanted as (
                  select page.source_id, page.id
                    from page
                """
                                .formatted(DeliveryStatusSql.IS_DEAD)
                        + ResolvedSql.JOIN
                        + " where not "
                        + ResolvedSql.IS_RESOLVED
                        + conditions
                        + """
                           and page.finished_at <= ?
                        ), added as (
                          insert into dismissal (source_id, delivery_id, dismissed_at)
                          select source_id, id, ? from wanted
                              on conflict do nothing
                          returning delivery_id
                        )
                        select (select count(*) from added) as changed,
                               (select id from page order by id desc limit 1) as last
                        """,
                DismissalStore::chunk,
                arguments.toArray());
    }

    /// Checks the first `limit` dismissals in the range `ids`, and undoes those whose dead letters
    /// match the criteria.
    static DismissalChunk undismiss(
            Tx tx,
            SourceId source,
            List<UUID> connections,
            DeadLetterCriteria criteria,
            IdRange ids,
            int limit) {
        var arguments =
                new ArrayList<Object>(
                        List.of(source.value(), ids.low(), ids.high(), limit, source.value()));
        String conditions = conditions(criteria, connections, arguments);
        arguments.add(source.value());
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.JIT);
        return tx.single(
                """
                with dismissed as materialized (
                  select delivery_id
                    from dismissal
                   where source_id = ? and delivery_id >= ? and delivery_id < ?
                   order by delivery_id
                   limit ?
                ), wanted as (
                  select page.id
                    from dismissed
                   cross join lateral (select id, connection_id, status, error_code, response_status
                                         from delivery
                                        where source_id = ? and id = dismissed.delivery_id
                                       offset 0) as page
                   where true
                """
                        + conditions
                        + """
                        ), removed as (
                          delete from dismissal
                           using wanted
                           where source_id = ? and delivery_id = wanted.id
                          returning delivery_id
                        )
                        select (select count(*) from removed) as changed,
                               (select delivery_id from dismissed order by delivery_id desc limit 1) as last
                        """,
                DismissalStore::chunk,
                arguments.toArray());
    }

    private static DismissalChunk chunk(Row row) throws SQLException {
        return new DismissalChunk(
                row.integer("changed"),
                row.isNull("last") ? Optional.empty() : Optional.of(row.uuid("last")));
    }

    private static String conditions(
            DeadLetterCriteria criteria, List<UUID> connections, List<Object> arguments) {
        var sql = new StringBuilder(" and page.connection_id = any (?) and page.status = any (?)");
        arguments.add(connections);
        arguments.add(criteria.statuses().stream().map(status -> (int) status.number()).toList());
        if (criteria.code().isPresent()) {
            sql.append(" and page.error_code = ?");
            arguments.add((int) criteria.code().get().number());
        }
        if (criteria.responseStatus().isPresent()) {
            sql.append(" and page.response_status = ?");
            arguments.add(criteria.responseStatus().get());
        }
        return sql.append('\n').toString();
    }

    /// Deletes up to `limit` dismissals of deliveries whose events arrived before `before`. Returns
    /// the number of deleted rows.
    public static int deleteBefore(Tx tx, Instant before, int limit) {
        return tx.update(
                """
                delete from dismissal
                 where ctid = any (array(select ctid from dismissal where delivery_id < ? limit ?))
                """,
                Uuid7.floor(before),
                limit);
    }

    /// Deletes up to `limit` dismissals of a deleted workspace. Returns the number of deleted rows.
    public static int deleteOf(Tx tx, DeletedWorkspace workspace, int limit) {
        return tx.update(
                """
                delete from dismissal
                 where ctid = any (array(select ctid from dismissal where source_id = any (?) limit ?))
                """,
                workspace.sources().stream().map(SourceId::value).toList(),
                limit);
    }
}
