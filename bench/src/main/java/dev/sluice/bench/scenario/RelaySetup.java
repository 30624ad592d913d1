package dev.sluice.bench.scenario;

import dev.sluice.bench.measure.ProcessRole;
import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.relay.ExternalRelay;
import dev.sluice.bench.relay.RelayApi;
import dev.sluice.bench.relay.RelayOnInstalledPostgres;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.relay.SystemUnderTest;
import dev.sluice.bench.report.BenchReport;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/// Determines which relay a scenario measures: one that the scenario starts, or one that is already
/// running on this machine.
///
/// @param postgres if present, the folder that contains an installed PostgreSQL's programs, which
///   the scenario uses instead of the relay's own PostgreSQL
public record RelaySetup(
        Path launcher,
        boolean keep,
        Optional<ExternalRelay> externalRelay,
        Optional<Path> postgres) {

    public static RelaySetup from(CommandLineOptions options) {
        var launcher = options.path("sluice").orElse(Path.of("bin", "sluice"));
        var url = options.uri("url");
        var key = options.text("key");
        var processes = new EnumMap<ProcessRole, Long>(ProcessRole.class);
        int relay = options.number("pid", 0);
        int postgres = options.number("postgres-pid", 0);
        if (relay > 0) {
            processes.put(ProcessRole.RELAY, (long) relay);
        }
        if (postgres > 0) {
            processes.put(ProcessRole.POSTGRES, (long) postgres);
        }
        return new RelaySetup(
                launcher,
                options.flag("keep"),
                url.map(base -> externalRelay(base, key, processes)),
                options.path("postgres-bin"));
    }

    private SystemUnderTest open() {
        if (externalRelay.isPresent()) {
            return externalRelay.get();
        }
        return postgres.<SystemUnderTest>map(
                        programs -> RelayOnInstalledPostgres.start(launcher, keep, programs))
                .orElseGet(() -> RelayProcess.start(launcher, keep));
    }

    /// Runs a measurement on the relay and returns the report. Stops the relay if the scenario
    /// started it.
    ///
    /// @param name the name of the scenario
    public BenchReport run(String name, BiConsumer<SystemUnderTest, BenchReport> measurement) {
        try (var system = open()) {
            return run(name, system, measurement);
        }
    }

    /// Starts a relay, runs a measurement on it and returns the report. Use this if the measurement
    /// needs more than the relay's API. Throws if the command line names a running relay or an
    /// installed PostgreSQL.
    public BenchReport runOwn(String name, BiConsumer<RelayProcess, BenchReport> measurement) {
        return runOwn(name, Map.of(), measurement);
    }

    /// Starts a relay with additional settings and runs a measurement on it.
    ///
    /// @param settings additional settings, by the names of their environment variables
    public BenchReport runOwn(
            String name,
            Map<String, String> settings,
            BiConsumer<RelayProcess, BenchReport> measurement) {
        if (externalRelay.isPresent() || postgres.isPresent()) {
            throw new CommandLineException(
                    "this scenario starts a relay and its PostgreSQL: no --url, no --postgres-bin");
        }
        try (var relay = RelayProcess.start(launcher, keep, settings)) {
            return run(name, relay, measurement);
        }
    }

    private static <S extends SystemUnderTest> BenchReport run(
            String name, S system, BiConsumer<S, BenchReport> measurement) {
        var report = new BenchReport(name);
        measurement.accept(system, report);
        stopAndCheck(system, report);
        return report;
    }

    /// Stops the relay if the scenario started it. Adds a failure to the report unless the relay
    /// exits with status 0.
    public static void stopAndCheck(SystemUnderTest system, BenchReport report) {
        switch (system) {
            case RelayProcess own -> stopCleanly(own, report);
            case RelayOnInstalledPostgres(var own, _) -> stopCleanly(own, report);
            default -> {}
        }
    }

    private static void stopCleanly(RelayProcess own, BenchReport report) {
        int exit = own.stop();
        report.failUnless(exit == 0, "the relay stopped with exit status " + exit);
    }

    private static ExternalRelay externalRelay(
            URI base, Optional<String> key, Map<ProcessRole, Long> processes) {
        try {
            if (!InetAddress.getByName(base.getHost()).isLoopbackAddress()) {
                throw new CommandLineException("--url must be on loopback");
            }
        } catch (UnknownHostException e) {
            throw new CommandLineException("--url names an unknown host: " + e.getMessage());
        }
        var api =
                new RelayApi(
                        base, key.orElseThrow(() -> new CommandLineException("--url needs --key")));
        return new ExternalRelay(api, processes);
    }
}
