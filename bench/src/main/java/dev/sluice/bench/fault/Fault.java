package dev.sluice.bench.fault;

import java.util.Optional;

/// One fault test.
interface Fault {

    String title();

    /// What it needs of this machine and does not find; empty when it can run.
    default Optional<String> refusal() {
        return Optional.empty();
    }

    /// What it is done to.
    default Scene scene(Dose dose) {
        return Scene.standard();
    }

    /// Done before the load begins.
    default void prepare(Stage stage) {}

    /// Does the harm, with all running and under load, and leaves with it repaired.
    void harm(Stage stage, Criteria criteria);

    /// How many deliveries may arrive more than once by it; asked after the harm.
    default long mostDuplicates() {
        return 0;
    }

    /// Deliveries that it leaves waiting for good.
    default long leftWaiting() {
        return 0;
    }

    /// What shows only when the load has ended and everything is delivered.
    default void judge(Stage stage, Criteria criteria) {}
}
