package dev.sluice.observe.deadletters;

import dev.sluice.observe.sums.Timeline;
import dev.sluice.observe.sums.Window;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryStatus;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/// Finds ended deliveries of some connections where the sums say that there are any: those that
/// failed by an index of their own, those that succeeded by their key, those that a filter kept
/// back on their events. Each statement names the sources.
///
/// @param connections one at least
/// @param isWhole whether the connections are all of their sources'
record Rows(Set<DeliveryStatus> statuses, List<UUID> connections, boolean isWhole) {

    /// Names a delivery by what its row is found by.
    record Key(UUID source, UUID id, UUID connection, DeliveryStatus status) {}

    /// Deliveries of one connection that ended alike.
    ///
    /// @param example the newest of them
    record Alike(
            UUID connection,
            Optional<Integer> code,
            Optional<Integer> responseStatus,
            long n,
            Instant first,
            Instant last,
            UUID example) {}

    /// How many failed on a connection.
    record Failed(UUID connection, int status, long n) {}

    /// A part of a statement: rows of one kind in `span`, and in which order the newest come first.
    private record Branch(String rows, String newestFirst) {}

    long count(Tx tx, List<Window> windows) {
        var arguments = spans(windows);
        var counts = new ArrayList<String>();
        for (var branch : branches()) {
            counts.add("select count(*) as n from (" + branch.rows() + ") as one");
            addConnections(arguments);
        }
        return tx.single(
                "select coalesce(sum(n), 0) as n from unnest(?, ?, ?) as span (source_id, low,"
                        + " high), lateral ("
                        + String.join(" union all ", counts)
                        + ") as counted",
                row -> row.number("n"),
                arguments.toArray());
    }

    /// The deliveries at this place, newest first.
    List<Key> keys(Tx tx, Timeline.Place place) {
        var arguments = new ArrayList<Object>();
        return tx.query(keysAt(place, arguments), Rows::key, arguments.toArray());
    }

    /// Those of the deliveries at this place that ended with this code and answer, newest first.
    List<Key> matches(Tx tx, Timeline.Place place, DeadLetterFilter filter) {
        var arguments = new ArrayList<Object>();
        String sql = "select page.* from " + ended(place, filter, arguments) + " order by id desc";
        return tx.query(sql, Rows::key, arguments.toArray());
    }

    /// The same, by how they ended.
    List<Alike> alike(Tx tx, Timeline.Place place, DeadLetterFilter filter) {
        var arguments = new ArrayList<Object>();
        return tx.query(
                """
                select connection_id, error_code, response_status, count(*) as n,
                       min(finished_at) as first, max(finished_at) as last,
                       (array_agg(id order by id desc))[1] as example
                  from
                """
                        + ended(place, filter, arguments)
                        + " group by connection_id, error_code, response_status",
                row ->
                        new Alike(
                                row.uuid("connection_id"),
                                row.integerOrNone("error_code"),
                                row.integerOrNone("response_status"),
                                row.number("n"),
                                row.instant("first"),
                                row.instant("last"),
                                row.uuid("example")),
                arguments.toArray());
    }

    /// How many failed on each connection.
    ///
    /// @param windows one at least
    static List<Failed> failed(Tx tx, List<Window> windows) {
        return tx.query(
                """
                select found.connection_id, found.status, count(*) as n
                  from unnest(?, ?, ?) as span (source_id, low, high),
                       lateral (select connection_id, status
                                  from delivery
                                 where delivery.source_id = span.source_id and delivery.id >= span.low
                                   and delivery.id < span.high and delivery.status in (4, 5)) as found
                 group by found.connection_id, found.status
                """,
                row ->
                        new Failed(
                                row.uuid("connection_id"), row.integer("status"), row.number("n")),
                spans(windows).toArray());
    }

    /// The deliveries at a place that ended as the filter says, joined with how they ended.
    private String ended(Timeline.Place place, DeadLetterFilter filter, List<Object> arguments) {
        var sql = new StringBuilder("(").append(keysAt(place, arguments));
        sql.append(
                """
                ) as page,
                lateral (select delivery.error_code, delivery.response_status, delivery.finished_at
                           from delivery
                          where delivery.source_id = page.source_id and delivery.id = page.id
                         offset 0) as ended
                where true
                """);
        filter.code()
                .ifPresent(code -> {
                    sql.append(" and error_code = ?");
                    arguments.add((int) code.number());
                });
        filter.responseStatus()
                .ifPresent(status -> {
                    sql.append(" and response_status = ?");
                    arguments.add(status);
                });
        return sql.toString();
    }

    private String keysAt(Timeline.Place place, List<Object> arguments) {
        arguments.addAll(spans(place.windows()));
        var found = new ArrayList<String>();
        for (var branch : branches()) {
            found.add("(" + branch.rows() + " order by " + branch.newestFirst() + " limit ?)");
            addConnections(arguments);
            arguments.add(place.offset() + place.limit());
        }
        arguments.add(place.offset());
        arguments.add(place.limit());
        return "select found.id, found.source_id, found.connection_id, found.status"
                + " from unnest(?, ?, ?) as span (source_id, low, high), lateral ("
                + String.join(" union all ", found)
                + ") as found order by found.id desc offset ? limit ?";
    }

    private static List<Object> spans(List<Window> windows) {
        return new ArrayList<>(
                List.of(
                        windows.stream().map(Window::source).toList(),
                        windows.stream().map(window -> window.ids().low()).toList(),
                        windows.stream().map(window -> window.ids().high()).toList()));
    }

    private void addConnections(List<Object> arguments) {
        if (!isWhole) {
            arguments.add(connections);
        }
    }

    /// Statuses are written out, not handed in, because only so PostgreSQL knows which index serves
    /// them.
    private List<Branch> branches() {
        var branches = new ArrayList<Branch>();
        var dead =
                statuses.stream()
                        .filter(DeadLetterFilter.DEAD::contains)
                        .map(DeliveryStatus::number);
        String numbers = dead.sorted().map(String::valueOf).collect(Collectors.joining(", "));
        if (!numbers.isEmpty()) {
            branches.add(
                    deliveries(
                            "delivery.status in (4, 5) and delivery.status in (" + numbers + ")"));
        }
        if (statuses.contains(DeliveryStatus.SUCCEEDED)) {
            branches.add(deliveries("delivery.status = 3"));
        }
        if (statuses.contains(DeliveryStatus.FILTERED)) {
            branches.add(filtered());
        }
        return branches;
    }

    private Branch deliveries(String condition) {
        return new Branch(
                """
                select delivery.id, delivery.source_id, delivery.connection_id, delivery.status
                  from delivery
                 where delivery.source_id = span.source_id and delivery.id >= span.low and delivery.id < span.high
                """
                        + " and "
                        + condition
                        + (isWhole ? "" : " and delivery.connection_id = any (?)"),
                "delivery.id desc");
    }

    /// They have the last ordinals that ingest gave out, in the order of the list.
    private Branch filtered() {
        return new Branch(
                """
                select (left(event.id::text, 33)
                          || lpad(to_hex(event.fanout - cardinality(event.filtered) + kept.number), 3, '0'))::uuid as id,
                       event.source_id, kept.connection_id, 6 as status
                  from event, unnest(event.filtered) with ordinality as kept (connection_id, number)
                 where event.source_id = span.source_id and event.id >= span.low and event.id < span.high
                   and event.filtered is not null
                """
                        + (isWhole ? "" : " and kept.connection_id = any (?)"),
                "event.id desc, kept.number desc");
    }

    private static Key key(Row row) throws SQLException {
        return new Key(
                row.uuid("source_id"),
                row.uuid("id"),
                row.uuid("connection_id"),
                DeliveryStatus.numbered(row.integer("status")));
    }
}
