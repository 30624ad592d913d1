package dev.sluice.bench.fault;

import dev.sluice.bench.ledger.Comparison;
import dev.sluice.bench.ledger.Entry.Acked;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.report.Table;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.ToIntFunction;

/// What every fault must leave behind it: all that was acknowledged has arrived as it was sent, and
/// the database says the same.
final class Oracle {

    private static final Duration DRAIN = Duration.ofMinutes(3);
    private static final int AT_A_TIME = 1000;

    private final Stage stage;
    private final Criteria criteria;
    private final List<Comparison> found = new ArrayList<>();

    Oracle(Stage stage, Criteria criteria) {
        this.stage = stage;
        this.criteria = criteria;
    }

    /// Waits until nothing of the load waits any more, then compares.
    ///
    /// @param expectedToWait deliveries that the fault leaves for good
    Oracle settle(long expectedToWait) {
        var postgres = stage.postgres();
        Wait.until(
                DRAIN,
                () -> postgres.number("select count(*) from delivery_work") <= expectedToWait);
        criteria.atMost(
                "deliveries that still wait",
                expectedToWait,
                postgres.number("select count(*) from delivery_work"));
        compare(stage.books());
        return this;
    }

    private void compare(Books books) {
        var table =
                new Table(
                        "Ledgers, by connection of the source",
                        "connection",
                        "sent",
                        "acked",
                        "received",
                        "lost",
                        "altered",
                        "unexpected",
                        "misnamed",
                        "duplicated",
                        "received, not acked",
                        "refused",
                        "unanswered");
        for (int sink = 0; sink < Stage.MOST_CONNECTIONS; sink++) {
            var one = books.compare(sink);
            found.add(one);
            table.row(
                    sink + 1,
                    one.sent(),
                    one.acked(),
                    one.received(),
                    one.lost(),
                    one.altered(),
                    one.unexpected(),
                    one.misnamed(),
                    one.duplicated(),
                    one.unacknowledged(),
                    one.refused(),
                    one.unanswered());
        }
        criteria.table(table)
                .atLeast("acknowledged", 1, books.acked().size())
                .none("lost", sum(Comparison::lost))
                .none("altered", sum(Comparison::altered))
                .none("unexpected", sum(Comparison::unexpected))
                .none("under another id", sum(Comparison::misnamed))
                .none("acknowledged, but not stored", notStored(books.acked()));
    }

    /// Taken by a sink more than once.
    long duplicated() {
        return sum(Comparison::duplicated);
    }

    private long sum(ToIntFunction<Comparison> number) {
        return found.stream().mapToInt(number).sum();
    }

    private long notStored(List<Acked> acked) {
        try (var connection = stage.postgres().connect();
                var statement = connection.createStatement()) {
            statement.execute("create temporary table acked (id uuid)");
            try (var insert = connection.prepareStatement("insert into acked values (?)")) {
                int count = 0;
                for (Acked one : acked) {
                    insert.setObject(1, UUID.fromString(one.requestId()));
                    insert.addBatch();
                    if (++count % AT_A_TIME == 0) {
                        insert.executeBatch();
                    }
                }
                insert.executeBatch();
            }
            var rows =
                    statement.executeQuery(
                            """
                            select count(*) from acked
                             where not exists (select from event where event.id = acked.id)
                            """);
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Events that carry a marker which another one has, too: a batch that was stored twice.
    void demandStoredOnce() {
        criteria.none(
                "stored twice",
                stage.postgres()
                        .number(
                                """
                                select count(*) - count(distinct substring(body from 12 for 33)) from event
                                 where substring(body from 1 for 11) = convert_to('{"marker":"', 'UTF8')
                                """));
    }

    /// The relays' logs, the audit, and how they stop.
    void lookInside() {
        var nodes = stage.nodes();
        long leaked = 0;
        long errors = 0;
        for (Relay relay : nodes.all()) {
            leaked += relay.logged("work.leaked");
            for (String line : relay.errors()) {
                if (stage.scene().explained().stream().noneMatch(line::contains)) {
                    errors++;
                    criteria.remark("unexplained in a log: " + line);
                }
            }
        }
        criteria.none("`work.leaked` in the logs", leaked)
                .none("errors in the logs that the fault does not explain", errors);
        int audit = stage.node(0).audit(nodes.scratch("audit"));
        criteria.holds("`sluice audit` ends with 0", audit == 0, Integer.toString(audit));
        if (audit != 0) {
            criteria.remark("the audit said: " + nodes.said("audit"));
        }
        int badStops = 0;
        for (Relay relay : nodes.all()) {
            badStops += relay.stop() == 0 ? 0 : 1;
        }
        criteria.none("relays that did not stop with 0", badStops);
    }
}
