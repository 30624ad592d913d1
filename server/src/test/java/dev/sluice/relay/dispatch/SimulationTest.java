package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;

import dev.sluice.relay.store.ModelStore;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

/// Dispatch and settle as they are, in a world that is made from a seed: other nodes, a database
/// whose commits are late or unknown, crashes, take-overs, clocks that jump. One thread runs at a
/// time, so a seed always does the same.
///
/// `-Dsluice.seeds=10000` makes it ten thousand; `-Dsluice.seed=…` runs that one alone and keeps
/// its log, also when it passes. What a failing seed did stands in `target/simulation`.
class SimulationTest {

    private static final int SEEDS = Integer.getInteger("sluice.seeds", 1_000);
    private static final Path LOGS = Path.of("target", "simulation");

    /// Seeds that found something once.
    private static final List<Long> KNOWN = List.of();

    private static final Logger RELAY = (Logger) LoggerFactory.getLogger("dev.sluice.relay");

    /// What dispatch reports of each attempt would fill the disk.
    @BeforeAll
    static void beQuiet() {
        RELAY.setLevel(Level.OFF);
    }

    @AfterAll
    static void speakAgain() {
        RELAY.setLevel(null);
    }

    private record Run(Optional<Throwable> failure, Simulation simulation) {}

    private static Run run(
            long seed, Set<ModelStore.Flaw> store, Set<ModelLife.Flaw> life, boolean isTraced) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            var simulation = new Simulation(seed, store, life, isTraced);
                            return new Run(simulation.run(), simulation);
                        },
                        Thread.ofVirtual()::start)
                .join();
    }

    private static Run run(long seed) {
        return run(seed, Set.of(), Set.of(), false);
    }

    @Test
    void every_delivery_ends_once_and_rightly_whatever_happens() {
        var alone = Optional.ofNullable(Long.getLong("sluice.seed"));
        if (alone.isPresent()) {
            var run = run(alone.get(), Set.of(), Set.of(), true);
            keep(alone.get(), run);
            run.failure().ifPresent(failure -> fail(alone.get(), failure));
            return;
        }
        LongStream.concat(KNOWN.stream().mapToLong(Long::longValue), LongStream.range(0, SEEDS))
                .forEach(seed -> run(seed).failure().ifPresent(_ -> failAgain(seed)));
    }

    /// The same once more, with its log.
    private static void failAgain(long seed) {
        var run = run(seed, Set.of(), Set.of(), true);
        keep(seed, run);
        fail(
                seed,
                run.failure().orElseGet(() -> new AssertionError("it failed the first time only")));
    }

    private static void fail(long seed, Throwable failure) {
        throw new AssertionError(
                "seed %s: %s%nlog: %s%nalone: mvn -pl server test -Dtest=SimulationTest -Dsluice.seed=%s"
                        .formatted(seed, failure.getMessage(), log(seed).toAbsolutePath(), seed),
                failure);
    }

    private static Path log(long seed) {
        return LOGS.resolve("seed-" + seed + ".log");
    }

    private static void keep(long seed, Run run) {
        try {
            Files.createDirectories(LOGS);
            Files.write(log(seed), run.simulation().log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_seed_does_the_same_each_time() {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(run(seed).simulation().numbers())
                    .as("seed " + seed)
                    .isEqualTo(run(seed).simulation().numbers());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_mistake_in_a_statement_is_found(ModelStore.Flaw flaw) {
        assertThat(firstToFind(Set.of(flaw), Set.of())).isPresent();
    }

    @ParameterizedTest
    @EnumSource
    void a_mistake_around_dispatch_is_found(ModelLife.Flaw flaw) {
        assertThat(firstToFind(Set.of(), Set.of(flaw))).isPresent();
    }

    /// The first of a thousand seeds that fails with these mistakes built in.
    private static Optional<Long> firstToFind(
            Set<ModelStore.Flaw> store, Set<ModelLife.Flaw> life) {
        return LongStream.range(0, 1_000)
                .boxed()
                .filter(seed -> run(seed, store, life, false).failure().isPresent())
                .findFirst();
    }

    /// What is simulated is not dull: there are attempts, and faults that make them twice.
    @Test
    void seeds_see_attempts_and_duplicates() {
        int attempts = 0;
        int duplicates = 0;
        for (long seed = 0; seed < 50; seed++) {
            var numbers = run(seed).simulation().numbers();
            attempts += numbers.attempts();
            duplicates += numbers.duplicates();
        }
        assertThat(attempts).isGreaterThan(1_000);
        assertThat(duplicates).isGreaterThan(50);
    }
}
