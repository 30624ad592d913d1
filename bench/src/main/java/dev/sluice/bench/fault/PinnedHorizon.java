package dev.sluice.bench.fault;

import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/// 19: somebody holds a snapshot, as a backup does, so that nothing dead can be cleaned away while
/// one attempt of twenty fails.
final class PinnedHorizon implements Fault {

    /// A relay warns of it after a minute, within ten seconds.
    private static final Duration NOTICED = Duration.ofSeconds(75);

    private static final Duration WINDOW = Duration.ofSeconds(60);
    private static final double LEAST_RATE = 0.9;

    /// The same drop, told by what an event costs.
    private static final double MOST_CPU = 1 / LEAST_RATE;

    @Override
    public String title() {
        return "19 pinned horizon";
    }

    @Override
    public Scene scene(Dose dose) {
        return Scene.standard().with(new Behaviour.Flaky(50, Duration.ZERO));
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        var held = stage.dose().seconds(600);
        var window = held.compareTo(WINDOW.multipliedBy(2)) < 0 ? held.dividedBy(2) : WINDOW;
        Stage.pause(window); // the JIT compiler is at work
        var free = Spell.of(stage, window);
        Spell pinned;
        try (var snapshot = pin(stage)) {
            Stage.pause(held.minus(window));
            pinned = Spell.of(stage, window);
            snapshot.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        long dead =
                stage.postgres()
                        .number(
                                "select n_dead_tup from pg_stat_user_tables where relname ="
                                        + " 'delivery_work'");
        Stage.pause(window);
        var after = Spell.of(stage, window);
        if (held.minus(window).compareTo(NOTICED) > 0) {
            criteria.atLeast(
                    "warnings of it in the relays' logs",
                    1,
                    stage.nodes().all().stream()
                            .mapToLong(relay -> relay.logged("database.snapshot_held"))
                            .sum());
        }
        criteria.table(
                        new Table(
                                        "Per second and event",
                                        "horizon",
                                        "delivered/s",
                                        "relays µs",
                                        "PostgreSQL µs")
                                .row(
                                        "free",
                                        free.perSecond(),
                                        free.relayMicros(),
                                        free.postgresMicros())
                                .row(
                                        "pinned, at the end",
                                        pinned.perSecond(),
                                        pinned.relayMicros(),
                                        pinned.postgresMicros())
                                .row(
                                        "free again",
                                        after.perSecond(),
                                        after.relayMicros(),
                                        after.postgresMicros()))
                .remark("%d dead rows in delivery_work at the end".formatted(dead))
                .atLeast(
                        "delivered a second while pinned, against before",
                        LEAST_RATE,
                        pinned.perSecond() / free.perSecond())
                .atMost(
                        "CPU of relays and PostgreSQL an event while pinned, against before",
                        MOST_CPU,
                        pinned.micros() / free.micros());
    }

    private static Connection pin(Stage stage) throws SQLException {
        var connection = stage.postgres().connect();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (var statement = connection.createStatement()) {
            statement.execute("select count(*) from delivery_work");
        }
        return connection;
    }
}
