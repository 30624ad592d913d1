package dev.sluice.bench.fault;

import dev.sluice.bench.report.Table;

/// 4: PostgreSQL's first process is killed again and again, and started at once. The senders notice
/// nothing but the time it takes.
final class PostgresKills implements Fault {

    /// Longer ones may be seen by the senders.
    private static final double SHORT = 8;

    @Override
    public String title() {
        return "4 PostgreSQL kill -9";
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        var postgres = stage.postgres();
        var table = new Table("PostgreSQL killed", "round", "away for s", "failed requests");
        double longest = 0;
        long failed = 0;
        for (int round = 1; round <= stage.dose().rounds(10); round++) {
            long before = stage.books().failed();
            long from = System.nanoTime();
            postgres.kill();
            postgres.start();
            double away = (System.nanoTime() - from) / 1e9;
            Stage.pause(stage.dose().seconds(30));
            long told = stage.books().failed() - before;
            longest = Math.max(longest, away);
            failed += away <= SHORT ? told : 0;
            table.row(round, away, told);
        }
        criteria.table(table)
                .inTime("seconds of PostgreSQL's longest outage", SHORT, longest)
                .none("requests that failed around outages of at most 8 s", failed);
    }
}
