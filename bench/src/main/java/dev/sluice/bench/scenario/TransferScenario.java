package dev.sluice.bench.scenario;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import dev.sluice.bench.measure.PeakMemory;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.DatabaseAddress;
import dev.sluice.bench.relay.InstalledPostgres;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.scenario.TableHashQueries.TableHash;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import java.util.stream.IntStream;

/// The `transfer` scenario exports the data of a relay with many events and imports the file into
/// another PostgreSQL. For each table that is compared, the number and the hash of the rows must be
/// the same in both databases. An audit must find no problems in either database, and each
/// command's memory must stay below a limit.
///
/// @param heapMegabytes the heap limit of each command
public record TransferScenario(RelaySetup setup, int events, int heapMegabytes)
        implements Scenario {

    private static final int SOURCES = 4;
    private static final Duration HISTORY_AGE = Duration.ofDays(7);
    private static final Duration TIMEOUT = Duration.ofHours(2);
    private static final double BYTES_PER_MEGABYTE = 1e6;

    /// The memory that a process may need in addition to its heap, for the JVM's code, classes,
    /// threads and buffers.
    private static final int MAX_MEGABYTES_BESIDE_HEAP = 150;

    /// Tables that are not compared because their rows are specific to one installation or contain
    /// the time of the import.
    private static final Set<String> OF_ONE_PLACE =
            Set.of(
                    "alert_watch",
                    "api_use",
                    "audit",
                    "clock",
                    "commit_log",
                    "config_version",
                    "flyway_schema_history",
                    "idempotency_key",
                    "ingest_use",
                    "lane",
                    "node",
                    "open_stream",
                    "password_reset",
                    "retention",
                    "sealing_canary",
                    "session",
                    "session_use");

    /// @param peak the peak memory of the process in MB, not including PostgreSQL
    private record CommandRun(int exitStatus, double seconds, double peak) {}

    public static TransferScenario from(CommandLineOptions options) {
        return new TransferScenario(
                RelaySetup.from(options),
                options.number("events", 1_000_000),
                options.number("heap", 128));
    }

    @Override
    public BenchReport run() {
        return setup.runOwn("transfer", this::transfer);
    }

    private void transfer(RelayProcess relay, BenchReport report) {
        try (var target = InstalledPostgres.start(relay.postgresPrograms())) {
            writeEvents(relay);
            var before = hashes(relay.database());
            if (relay.stop() != 0) {
                throw new IllegalStateException("the relay did not stop: " + relay.logTail());
            }
            var settings = relay.databaseSettings(target.address());
            Path file = relay.scratchFile("transfer.sluice");
            var table =
                    ReportTable.of(
                            "%d events, heap limit %d MB".formatted(events, heapMegabytes),
                            "command | seconds | file MB | rows as text, MB | MB/s | max RSS MB");
            double rows =
                    before.values().stream().mapToLong(TableHash::bytes).sum() / BYTES_PER_MEGABYTE;
            for (String command : List.of("export-data", "import-data")) {
                boolean isExport = command.equals("export-data");
                var run = run(relay, isExport ? Map.of() : settings, command, file);
                double megabytes = size(file) / BYTES_PER_MEGABYTE;
                table.row(
                        command, run.seconds(), megabytes, rows, rows / run.seconds(), run.peak());
                check(relay, command, run, report);
            }
            report.add(table);
            compare(before, hashes(target.address()), report);
            audit(relay, report, "source", Map.of());
            audit(relay, report, "target", settings);
        }
    }

    private void writeEvents(RelayProcess relay) {
        var nobody = URI.create("http://127.0.0.1:9999/");
        var sources =
                IntStream.range(0, SOURCES)
                        .mapToObj(i ->
                                relay.api().createConnectedSource("bench transfer " + i, nobody, 1))
                        .map(source -> UUID.fromString(source.id()))
                        .toList();
        var from = Instant.now().minus(HISTORY_AGE);
        try (var connection = relay.database().connect()) {
            new EventHistoryStore(connection)
                    .writeDeadLetters(events, sources, 1, from, from.plus(Duration.ofDays(6)));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SortedMap<String, TableHash> hashes(DatabaseAddress database) {
        try (var connection = database.connect()) {
            return TableHashQueries.read(connection);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private CommandRun run(
            RelayProcess relay, Map<String, String> settings, String command, Path file) {
        var all = new HashMap<>(settings);
        all.put("JAVA_OPTS", "-Xmx%dm".formatted(heapMegabytes));
        return measure(relay.launch(relay.scratchFile(command), all, command, file.toString()));
    }

    private static long size(Path file) {
        return unchecked(() -> Files.exists(file) ? Files.size(file) : 0);
    }

    private void check(RelayProcess relay, String command, CommandRun run, BenchReport report) {
        report.failUnless(
                run.exitStatus() == 0,
                "%s ended with %d: %s".formatted(command, run.exitStatus(), relay.tail(command)));
        report.failUnless(
                run.peak() <= heapMegabytes + MAX_MEGABYTES_BESIDE_HEAP,
                "%s needed %.0f MB".formatted(command, run.peak()));
    }

    private static CommandRun measure(Process process) {
        long start = System.nanoTime();
        var memory = new PeakMemory(process.pid());
        boolean hasEnded =
                Wait.until(
                        TIMEOUT,
                        () -> {
                            memory.sample();
                            return !process.isAlive();
                        });
        double seconds = (System.nanoTime() - start) / 1e9;
        if (!hasEnded) {
            process.destroyForcibly();
            return new CommandRun(-1, seconds, memory.megabytes());
        }
        return new CommandRun(process.exitValue(), seconds, memory.megabytes());
    }

    private static void compare(
            SortedMap<String, TableHash> before,
            SortedMap<String, TableHash> after,
            BenchReport report) {
        var table = ReportTable.of("Rows", "table | rows | MB as text | rows afterwards | equal");
        var none = new TableHash(0, "0", 0);
        before.forEach((name, hash) -> {
            if (OF_ONE_PLACE.contains(name)) {
                return;
            }
            var arrived = after.getOrDefault(name, none);
            boolean isEqual = hash.equals(arrived);
            if (hash.rows() > 0 || !isEqual) {
                table.row(
                        name,
                        hash.rows(),
                        hash.bytes() / BYTES_PER_MEGABYTE,
                        arrived.rows(),
                        isEqual ? "yes" : "NO");
            }
            report.failUnless(isEqual, name + " is not the same afterwards");
        });
        report.add(table);
    }

    private static void audit(
            RelayProcess relay, BenchReport report, String place, Map<String, String> settings) {
        int status = relay.audit(relay.scratchFile("audit-" + place), settings);
        report.failUnless(
                status == 0,
                "the audit of the %s ended with %d: %s"
                        .formatted(place, status, relay.tail("audit-" + place)));
    }
}
