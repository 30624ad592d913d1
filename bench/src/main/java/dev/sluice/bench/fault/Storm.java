package dev.sluice.bench.fault;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.Nodes.Needs;
import dev.sluice.bench.sink.Behaviour;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// 17: all sinks answer well for a while, and then for a while mostly with 429, 500 or a reset.
final class Storm implements Fault {

    private static final Duration WAVE = Duration.ofSeconds(30);
    private static final int PERCENT = 60;
    private static final List<Integer> RETRIES = List.of(2, 4, 6, 8, 10, 10, 10, 10, 10, 10);
    private static final Duration GLANCE = Duration.ofMillis(300);

    private static final double EARLY = 0.1;
    private static final double LATE = 12;

    /// As the table of states has it, and what a glance each 300 ms may leap over.
    private static final Set<String> ALLOWED =
            Set.of(
                    "closed > open",
                    "open > half_open",
                    "half_open > closed",
                    "half_open > open",
                    "open > closed");

    private final Map<String, String> states = new HashMap<>();
    private final Map<String, Integer> transitions = new TreeMap<>();

    @Override
    public String title() {
        return "17 flapping sinks";
    }

    @Override
    public Scene scene(Dose dose) {
        return Scene.standard()
                .with(new Behaviour.Waves(WAVE, PERCENT))
                .retrying(RETRIES)
                .needing(
                        Needs.settings(
                                Map.of(
                                        "SLUICE_CIRCUIT_COOLDOWN",
                                        "3s",
                                        "SLUICE_CIRCUIT_MAX_COOLDOWN",
                                        "10s")));
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        long end = System.nanoTime() + stage.dose().seconds(180).toNanos();
        while (System.nanoTime() - end < 0) {
            for (JsonNode destination :
                    stage.node(0).api().read("destinations/?limit=200").path("items")) {
                look(
                        destination.path("id").asString(),
                        destination.path("circuit_state").asString());
            }
            Wait.pause(GLANCE);
        }
    }

    private void look(String destination, String state) {
        String before = states.put(destination, state);
        if (before != null && !before.equals(state)) {
            transitions.merge(before + " > " + state, 1, Integer::sum);
        }
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        long strange =
                transitions.keySet().stream().filter(change -> !ALLOWED.contains(change)).count();
        var books = stage.books();
        long receipts = 0;
        long resets = 0;
        for (int sink = 0; sink < Stage.MOST_CONNECTIONS; sink++) {
            var received = books.received(sink);
            receipts += received.size();
            resets += received.stream().filter(one -> one.status() == Behaviour.RESET).count();
        }
        long attempts = stage.postgres().number("select coalesce(sum(attempts), 0) from delivery");
        criteria.remark("circuits were seen to pass " + transitions)
                .none("transitions of circuits that the table does not have", strange)
                .atMost("attempts recorded, against requests at the sinks", receipts, attempts)
                .atLeast(
                        "the same, less those repeated after a reset", receipts - resets, attempts);
        new Schedule(RETRIES, EARLY, LATE).read(books).judge(criteria, transitions.isEmpty());
    }
}
