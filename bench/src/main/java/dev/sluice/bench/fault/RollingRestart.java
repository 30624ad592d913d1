package dev.sluice.bench.fault;

import dev.sluice.bench.load.Result;
import dev.sluice.bench.relay.Nodes.Needs;
import dev.sluice.bench.report.Table;

import java.util.Map;

/// 23: the relays are stopped by SIGTERM and started again in turn, behind a balancer that turns to
/// the other when one refuses.
final class RollingRestart implements Fault {

    private static final double LONGEST_STOP = 30;

    @Override
    public String title() {
        return "23 rolling restart";
    }

    @Override
    public Scene scene(Dose dose) {
        return Scene.standard()
                .balanced()
                .needing(Needs.settings(Map.of("SLUICE_STOP_DELAY", "1s")));
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        var table = new Table("Restarts", "round", "stopped after s", "exit", "back after s");
        double longest = 0;
        int bad = 0;
        for (int round = 1; round <= stage.dose().rounds(20); round++) {
            var relay = stage.node((round - 1) % stage.scene().nodes());
            long from = System.nanoTime();
            int exit = relay.stop();
            double stopped = (System.nanoTime() - from) / 1e9;
            relay.restart();
            double back = (System.nanoTime() - from) / 1e9 - stopped;
            longest = Math.max(longest, stopped);
            bad += exit == 0 ? 0 : 1;
            table.row(round, stopped, exit, back);
            Stage.pause(stage.dose().seconds(3));
        }
        criteria.table(table)
                .inTime("seconds of the longest stop", LONGEST_STOP, longest)
                .none("stops that did not end with 0", bad);
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        long failures = stage.results().stream().mapToLong(Result::failures).sum();
        criteria.none("requests that failed at the balancer", failures);
        if (failures > 0) {
            stage.results().forEach(result -> criteria.remark(result.failuresInWords()));
        }
    }
}
