package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.platform.db.Db;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Checks what must hold in the database at every moment, whichever process died and when. Each
/// check reads the whole database in one snapshot.
record DeliveryConservationCheck(Db db) {

    record RecordedEnd(DeliveryStatus status, int attempts) {}

    void check(String where) {
        assertThat(misplacedDeliveries()).as("in exactly one place, %s", where).isEmpty();
        assertThat(misnumberedAttempts()).as("attempts, %s", where).isEmpty();
        assertThat(miscountedUsage()).as("usage, %s", where).isEmpty();
    }

    private List<String> misplacedDeliveries() {
        return faults(
                """
                with created as (
                  select substr(id::text, 1, 33) || lpad(to_hex(ordinal), 3, '0') as id
                    from event, generate_series(1, fanout) as ordinal),
                places as (
                  select id::text from delivery_work
                  union all
                  select id::text from delivery)
                select coalesce(created.id, found.id) || ' is in ' || coalesce(n, 0) || ' places' as fault
                  from created
                  full join (select id, count(*) as n from places group by id) as found
                    on found.id = created.id
                 where created.id is null or n is distinct from 1
                """);
    }

    /// Deliveries whose attempts are misnumbered. All but the last are numbered 1, 2, 3 …, and
    /// there are at most three: one more than the two intervals.
    private List<String> misnumberedAttempts() {
        return faults(
                """
                select place.id || ' made ' || place.made || ', has ' || count(number) as fault
                  from (select id, attempts as made from delivery_work
                        union all
                        select id, attempts - case when attempted_at is null then 0 else 1 end
                          from delivery) as place
                  left join attempt on delivery_id = place.id
                 group by place.id, place.made
                having count(number) <> coalesce(max(number), 0) or count(number) <> place.made
                    or place.made > 2
                """);
    }

    /// Counts that are wrong. The ledger and the rollups together must count each event, each
    /// delivery created and each end exactly once. Latencies and refusals, which have no rows of
    /// their own, are not compared.
    private List<String> miscountedUsage() {
        return faults(
                """
                with unfolded as (
                  select kind, key, dim, n
                    from ledger, unnest(kinds, keys, dims, counts) as entry (kind, key, dim, n)),
                counted as (
                  select 'total' as book, kind, key, dim, n from total
                  union all select 'total', * from unfolded
                  union all select 'hour', kind, key, dim, n from rollup_hour
                  union all select 'hour', * from unfolded
                  union all select 'day', kind, key, dim, n from rollup_day
                  union all select 'day', * from unfolded),
                found as (
                  select 1 as kind, source_id as key, verification::int as dim, count(*) as n
                    from event group by 2, 3
                  union all
                  select 2, connection_id, status::int, count(*) from delivery group by 2, 3
                  union all
                  select 3, connection_id, trigger::int, count(*)
                    from (select connection_id, trigger from delivery
                          union all select connection_id, trigger from delivery_work) as made
                   group by 2, 3)
                select coalesce(book, 'none') || ' ' || kind || '/' || dim || ' counts ' || sums.n
                         || ', there are ' || coalesce(found.n, 0) as fault
                  from (select book, kind, key, dim, sum(n) as n from counted
                         where kind <= 3 group by 1, 2, 3, 4) as sums
                  full join found using (kind, key, dim)
                 where sums.n is distinct from found.n
                """);
    }

    private List<String> faults(String sql) {
        return db.snapshot(tx -> tx.query(sql, row -> row.text("fault")));
    }

    /// The number of the next attempt of each unfinished delivery.
    Map<DeliveryId, Integer> nextAttempts() {
        var next = new HashMap<DeliveryId, Integer>();
        db.call(tx ->
                        tx.query(
                                "select id, attempts + 1 as next from delivery_work",
                                row ->
                                        Map.entry(
                                                new DeliveryId(row.uuid("id")),
                                                row.integer("next"))))
                .forEach(entry -> next.put(entry.getKey(), entry.getValue()));
        return next;
    }

    Map<DeliveryId, RecordedEnd> finished() {
        var ends = new HashMap<DeliveryId, RecordedEnd>();
        db.call(tx ->
                        tx.query(
                                "select id, status, attempts from delivery",
                                row ->
                                        Map.entry(
                                                new DeliveryId(row.uuid("id")),
                                                new RecordedEnd(
                                                        DeliveryStatus.fromNumber(
                                                                row.integer("status")),
                                                        row.integer("attempts")))))
                .forEach(entry -> ends.put(entry.getKey(), entry.getValue()));
        return ends;
    }
}
