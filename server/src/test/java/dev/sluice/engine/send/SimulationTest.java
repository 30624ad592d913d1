package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;

import dev.sluice.engine.commit.ModelStore;

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

/// Runs the real dispatch and settle in a world simulated from a seed. It has other nodes, a
/// database whose commits are late or unknown, crashes, takeovers and clock jumps. One thread runs
/// at a time, so a seed always does the same.
///
/// `-Dsluice.seeds=10000` runs ten thousand seeds. `-Dsluice.seed=…` runs one and keeps its log
/// even if it passes. The log of a failing seed is in `target/simulation`.
class SimulationTest {

    private static final int SEED_COUNT =
            Integer.getInteger("sluice.seeds", Boolean.getBoolean("sluice.nightly") ? 10_000 : 100);
    private static final Path LOG_DIRECTORY = Path.of("target", "simulation");

    /// Seeds that once found a bug.
    private static final List<Long> REGRESSION_SEEDS = List.of();

    private static final Logger ENGINE_LOGGER =
            (Logger) LoggerFactory.getLogger("dev.sluice.engine");

    /// Off, because the logs of every attempt would fill the disk.
    @BeforeAll
    static void beQuiet() {
        ENGINE_LOGGER.setLevel(Level.OFF);
    }

    @AfterAll
    static void speakAgain() {
        ENGINE_LOGGER.setLevel(null);
    }

    private record SeedResult(Optional<Throwable> failure, Simulation simulation) {}

    private static SeedResult run(
            long seed,
            Set<ModelStore.InjectedFlaw> store,
            Set<SimulatedNode.NodeFlaw> node,
            boolean isTraced) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            var simulation = new Simulation(seed, store, node, isTraced);
                            return new SeedResult(simulation.run(), simulation);
                        },
                        Thread.ofVirtual()::start)
                .join();
    }

    private static SeedResult run(long seed) {
        return run(seed, Set.of(), Set.of(), false);
    }

    @Test
    void every_delivery_ends_once_and_rightly_whatever_happens() {
        var alone = Optional.ofNullable(Long.getLong("sluice.seed"));
        if (alone.isPresent()) {
            var result = run(alone.get(), Set.of(), Set.of(), true);
            keep(alone.get(), result);
            result.failure().ifPresent(failure -> fail(alone.get(), failure));
            return;
        }
        LongStream.concat(
                        REGRESSION_SEEDS.stream().mapToLong(Long::longValue),
                        LongStream.range(0, SEED_COUNT))
                .forEach(seed -> run(seed).failure().ifPresent(_ -> failAgain(seed)));
    }

    /// Runs the failed seed again, with its log.
    private static void failAgain(long seed) {
        var result = run(seed, Set.of(), Set.of(), true);
        keep(seed, result);
        fail(
                seed,
                result.failure()
                        .orElseGet(() -> new AssertionError("it failed only the first time")));
    }

    private static void fail(long seed, Throwable failure) {
        throw new AssertionError(
                "seed %s: %s%nlog: %s%nalone: mvn -pl server test -Dtest=SimulationTest -Dsluice.seed=%s"
                        .formatted(seed, failure.getMessage(), log(seed).toAbsolutePath(), seed),
                failure);
    }

    private static Path log(long seed) {
        return LOG_DIRECTORY.resolve("seed-" + seed + ".log");
    }

    private static void keep(long seed, SeedResult result) {
        try {
            Files.createDirectories(LOG_DIRECTORY);
            Files.write(log(seed), result.simulation().log());
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
    void a_mistake_in_a_statement_is_found(ModelStore.InjectedFlaw flaw) {
        assertThat(firstToFind(Set.of(flaw), Set.of())).isPresent();
    }

    @ParameterizedTest
    @EnumSource
    void a_mistake_around_dispatch_is_found(SimulatedNode.NodeFlaw flaw) {
        assertThat(firstToFind(Set.of(), Set.of(flaw))).isPresent();
    }

    /// The first of a thousand seeds that fails with these bugs built in.
    private static Optional<Long> firstToFind(
            Set<ModelStore.InjectedFlaw> store, Set<SimulatedNode.NodeFlaw> node) {
        return LongStream.range(0, 1_000)
                .boxed()
                .filter(seed -> run(seed, store, node, false).failure().isPresent())
                .findFirst();
    }

    /// The simulation does enough: there are attempts, and faults that repeat them.
    @Test
    void seeds_see_attempts_and_duplicates() {
        int attempts = 0;
        int duplicates = 0;
        for (long seed = 0; seed < 50; seed++) {
            var statistics = run(seed).simulation().numbers();
            attempts += statistics.attempts();
            duplicates += statistics.duplicates();
        }
        assertThat(attempts).isGreaterThan(1_000);
        assertThat(duplicates).isGreaterThan(50);
    }
}
