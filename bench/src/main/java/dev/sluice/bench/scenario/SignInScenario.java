package dev.sluice.bench.scenario;

import dev.sluice.bench.measure.LiveHeap;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/// In the `sign-in` scenario, thousands of addresses send wrong passwords for the owner's account.
/// Meanwhile, the owner signs in and out repeatedly, from known addresses and from new ones. No
/// sign-in from a known address may be refused, and neither the owner's latency nor the growth of
/// the relay's live heap may exceed its limit.
public record SignInScenario(Path launcher, boolean keep, int guesses, int atATime)
        implements Scenario {

    private static final String EMAIL = "owner@example.com";
    private static final String PASSWORD = "correct horse battery staple";
    private static final Duration MAX_TIME = Duration.ofMinutes(30);
    private static final double MAX_OWNER_P99_MS = 2_000;
    private static final double MAX_HEAP_GROWTH_MB = 64;

    public static SignInScenario from(CommandLineOptions options) {
        return new SignInScenario(
                options.path("sluice").orElse(Path.of("bin", "sluice")),
                options.flag("keep"),
                options.number("guesses", 10_000),
                options.number("connections", 64));
    }

    @Override
    public BenchReport run() {
        var settings =
                Map.of(
                        "SLUICE_ADMIN_EMAIL", EMAIL,
                        "SLUICE_ADMIN_PASSWORD", PASSWORD,
                        "SLUICE_TRUSTED_PROXIES", "127.0.0.0/8");
        try (var relay = RelayProcess.start(launcher, keep, settings)) {
            var report = new BenchReport("sign-in");
            attack(relay, report);
            RelaySetup.stopAndCheck(relay, report);
            return report;
        }
    }

    private void attack(RelayProcess relay, BenchReport report) {
        var login = relay.api().base().resolve("/api/v1/auth/login");
        var guessers = new PasswordGuessers(login, EMAIL, PASSWORD, guesses);
        double heapBefore;
        double heapDuring;
        long begun;
        try (guessers) {
            report.failUnless(
                    guessers.signInAtKnownAddresses(),
                    "the owner could not sign in before the attack");
            heapBefore = LiveHeap.of(relay.pid()).megabytes();
            begun = System.nanoTime();
            guessers.start(atATime);
            double _ = Wait.secondsUntil(MAX_TIME, guessers::isHalfDone);
            heapDuring = LiveHeap.of(relay.pid()).megabytes();
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        var answers =
                ReportTable.of(
                        "%d wrong passwords from as many addresses, %d at a time, in %.0f s"
                                .formatted(guesses, atATime, seconds),
                        "answer | guesses");
        guessers.answers().forEach(answers::row);
        var known = guessers.latencyAtKnownAddress();
        var fresh = guessers.latencyAtNewAddresses();
        double growth = heapDuring - heapBefore;
        report.add(answers)
                .add(
                        ReportTable.of(
                                        "The owner meanwhile, signing in and out, 3 s apart",
                                        "address | refused | p50 ms | p90 ms | p99 ms | max ms")
                                .row(
                                        "known",
                                        guessers.refusedAtKnownAddress(),
                                        known.p50Ms(),
                                        known.p90Ms(),
                                        known.p99Ms(),
                                        known.maxMs())
                                .row(
                                        "never seen before",
                                        guessers.refusedAtNewAddresses(),
                                        fresh.p50Ms(),
                                        fresh.p90Ms(),
                                        fresh.p99Ms(),
                                        fresh.maxMs()))
                .add(
                        ReportTable.of("Live heap", "before MB | during MB")
                                .row(heapBefore, heapDuring))
                .failUnless(guessers.refusedAtKnownAddress() == 0, "the owner was refused")
                .failUnless(
                        known.p99Ms() <= MAX_OWNER_P99_MS,
                        "the owner's p99 was %.0f ms".formatted(known.p99Ms()))
                .failUnless(
                        fresh.p90Ms() <= MAX_OWNER_P99_MS,
                        "the owner's p90 at new addresses was %.0f ms".formatted(fresh.p90Ms()))
                .failUnless(
                        growth <= MAX_HEAP_GROWTH_MB, "the heap grew by %.0f MB".formatted(growth));
    }
}
