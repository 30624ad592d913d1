package dev.sluice.bench.fault;

import dev.sluice.bench.load.Result;
import dev.sluice.bench.report.Table;

/// 4: PostgreSQL's first process is killed again and again, and started at once.
final class PostgresKills implements Fault {

    /// Longer ones may be seen by the senders.
    private static final double SHORT = 8;

    private double longest;

    @Override
    public String title() {
        return "4 PostgreSQL kill -9";
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        var postgres = stage.postgres();
        var table = new Table("Kills", "round", "away for s");
        for (int round = 1; round <= stage.dose().rounds(10); round++) {
            postgres.kill();
            double away = restarted(stage);
            longest = Math.max(longest, away);
            table.row(round, away);
            Stage.pause(stage.dose().seconds(30));
        }
        criteria.table(table);
    }

    private static double restarted(Stage stage) {
        long from = System.nanoTime();
        stage.postgres().start();
        return (System.nanoTime() - from) / 1e9;
    }

    /// A finish that was committed is never undone, so nothing is sent again.
    @Override
    public long mostDuplicates() {
        return 0;
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        long failures = stage.results().stream().mapToLong(Result::unwelcome).sum();
        criteria.atMost("seconds of the longest outage", SHORT, longest)
                .none("requests that were not answered 200", failures);
        stage.results().stream()
                .filter(result -> result.unwelcome() > 0)
                .forEach(result -> criteria.remark(result.failuresInWords()));
    }
}
