package dev.sluice.bench.fault;

import java.util.List;

/// Several faults one after the other on the scene of the first.
record Medley(String title, List<Fault> faults) implements Fault {

    /// What CI has time for: the only relay is killed, then its PostgreSQL.
    static Medley brief() {
        return new Medley(
                "short: kill -9 of the relay, then of PostgreSQL",
                List.of(new SoleKill(), new PostgresKills()));
    }

    Medley {
        faults = List.copyOf(faults);
    }

    @Override
    public Scene scene(Dose dose) {
        return faults.getFirst().scene(dose);
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        faults.forEach(fault -> fault.harm(stage, criteria));
    }

    @Override
    public long mostDuplicates() {
        return faults.stream().mapToLong(Fault::mostDuplicates).sum();
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        faults.forEach(fault -> fault.judge(stage, criteria));
    }
}
