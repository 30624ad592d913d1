package dev.sluice.bench.fault;

import dev.sluice.bench.load.Result;
import dev.sluice.bench.relay.Nodes.Needs;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.relay.SkewedClock;
import dev.sluice.bench.sink.Behaviour;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// 20: the clock of one relay is ten minutes ahead, then ten behind, then an hour behind, then
/// right.
final class ClockSkew implements Fault {

    private static final List<Duration> AHEAD =
            List.of(
                    Duration.ofMinutes(10),
                    Duration.ofMinutes(-10),
                    Duration.ofHours(-1),
                    Duration.ZERO);

    private static final int RETRY = 5;
    private static final double TOLERANCE = 1;

    private Optional<SkewedClock> clock = Optional.empty();

    @Override
    public String title() {
        return "20 clock skew";
    }

    @Override
    public Optional<String> refusal() {
        return SkewedClock.refusal();
    }

    @Override
    public Scene scene(Dose dose) {
        var made = SkewedClock.make();
        clock = Optional.of(made);
        return Scene.standard()
                .with(new Behaviour.Flaky(50, Duration.ZERO))
                .retrying(Collections.nCopies(10, RETRY))
                .needing(Needs.ofSecond(made.environment()));
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        for (Duration ahead : AHEAD) {
            clock.orElseThrow().set(ahead);
            Stage.pause(stage.dose().seconds(30));
        }
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        long failures = stage.results().stream().mapToLong(Result::failures).sum();
        long leases = 0;
        for (Relay relay : stage.nodes().all()) {
            leases += relay.logged("node.died") + relay.logged("node.fenced");
        }
        criteria.none("requests that failed", failures)
                .none("leases that were lost", leases)
                .holds("the relay goes by the clock it was given", isShifted(stage.node(1)));
        new Schedule(stage.scene().retries(), TOLERANCE, TOLERANCE)
                .read(stage.books())
                .judge(criteria, true);
    }

    /// Whether the virtual machine went by the clock we gave it: the log's times jump back.
    private static boolean isShifted(Relay relay) {
        var times =
                relay.log("attempt.finished").stream()
                        .map(line -> Instant.parse(line.substring(0, line.indexOf(' '))))
                        .toList();
        for (int at = 1; at < times.size(); at++) {
            if (times.get(at).isBefore(times.get(at - 1).minus(Duration.ofMinutes(5)))) {
                return true;
            }
        }
        return false;
    }
}
