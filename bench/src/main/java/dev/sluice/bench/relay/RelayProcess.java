package dev.sluice.bench.relay;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.bench.measure.ProcessRole;
import dev.sluice.bench.platform.SystemCommands;
import dev.sluice.bench.platform.TemporaryDirectory;
import dev.sluice.bench.platform.Wait;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/// A relay process whose data directory is removed when this object is closed, unless `keep` is
/// true.
///
/// The launcher script replaces itself with the server, so the started process is the server.
public final class RelayProcess implements SystemUnderTest {

    /// Matches the beginning of a log entry. The lines of a stack trace do not begin like this.
    private static final Pattern LOG_LINE_START = Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT");

    /// The timeout for the first start. It is long because the launcher may have to build the
    /// server first.
    private static final Duration FIRST_START_TIMEOUT = Duration.ofMinutes(10);

    private static final Duration START_TIMEOUT = Duration.ofMinutes(2);

    /// The timeout for an audit. It is long enough for several million rows.
    private static final Duration AUDIT_TIMEOUT = Duration.ofMinutes(10);

    private static final Duration STOP_TIMEOUT = Duration.ofMinutes(1);

    /// Settings that put limits on the relay's workspace: on API requests per minute, webhooks per
    /// source per minute, and events per month. The limits are never reached, but the relay must
    /// count requests and events to enforce them.
    public static final Map<String, String> COUNTED_LIMITS =
            Map.of("SLUICE_WORKSPACE_PLAN", "counted");

    private final RelayLauncher launch;
    private final RelayApi api;
    private final boolean keep;
    private final boolean sharesDatabase;
    private final Thread onExit = new Thread(this::destroy, "end the relay");
    private Process process;

    /// @param isGuest whether this relay uses another relay's directory and database
    private RelayProcess(
            RelayLauncher launch, RelayApi api, boolean keep, boolean isGuest, Process process) {
        this.launch = launch;
        this.keep = keep;
        this.sharesDatabase = isGuest;
        this.api = api;
        this.process = process;
    }

    /// Starts a relay and returns once it answers requests.
    ///
    /// @param keep whether to keep the relay's directory when the relay is closed
    public static RelayProcess start(Path launcher, boolean keep) {
        return start(launcher, keep, Map.of());
    }

    /// @param settings additional settings, by the names of their environment variables
    public static RelayProcess start(Path launcher, boolean keep, Map<String, String> settings) {
        return unchecked(() -> {
            Path directory = TemporaryDirectory.make("sluice-bench-");
            String key = ("bench-" + UUID.randomUUID() + UUID.randomUUID()).substring(0, 48);
            var launch = new RelayLauncher(launcher, directory, "relay", freePort(), key, settings);
            return start(launch, keep, false);
        });
    }

    /// Starts another relay that uses this relay's database. The new relay must be closed before
    /// this one.
    ///
    /// @param database the address of the database, possibly behind a proxy
    /// @param settings additional settings, by the names of their environment variables
    public RelayProcess startBeside(
            String name, DatabaseAddress database, Map<String, String> settings) {
        return unchecked(
                () -> start(launch.beside(name, freePort(), database, settings), keep, true));
    }

    private static RelayProcess start(RelayLauncher launch, boolean keep, boolean isGuest) {
        var api = new RelayApi(URI.create("http://127.0.0.1:" + launch.port()), launch.key());
        var relay = new RelayProcess(launch, api, keep, isGuest, launch.start());
        Runtime.getRuntime().addShutdownHook(relay.onExit);
        relay.awaitUp(FIRST_START_TIMEOUT);
        return relay;
    }

    @Override
    public RelayApi api() {
        return api;
    }

    @Override
    public Map<ProcessRole, Long> processes() {
        var processes = new EnumMap<ProcessRole, Long>(ProcessRole.class);
        processes.put(ProcessRole.RELAY, process.pid());
        postmaster().ifPresent(found -> processes.put(ProcessRole.POSTGRES, found.pid()));
        return processes;
    }

    public long pid() {
        return process.pid();
    }

    public Optional<ProcessHandle> postmaster() {
        return PostmasterFinder.find(launch.data());
    }

    /// Returns the folder that contains the programs of the relay's PostgreSQL, which must be
    /// running.
    public Path postgresPrograms() {
        long pid = postmaster().orElseThrow().pid();
        Path program = unchecked(() -> Path.of("/proc", Long.toString(pid), "exe").toRealPath());
        return program.resolveSibling("");
    }

    /// Returns the address of the relay's PostgreSQL, which must be running.
    public DatabaseAddress database() {
        return DatabaseAddress.read(launch.data());
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /// Returns the epoch in the last `node.joined` line of the log. Each start gets a new epoch.
    public long epoch() {
        String joined = logLines("node.joined").getLast();
        return Long.parseLong(joined.replaceAll(".*epoch=\"?([0-9]+).*", "$1"));
    }

    /// Kills the process (`kill -9`) and returns once it is dead.
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /// Starts the relay again in the same data directory, after [#kill()] or [#stop()].
    public void restart() {
        startWithoutWaiting();
        awaitUp(START_TIMEOUT);
    }

    /// Starts the relay like [#restart()], but does not wait until it answers.
    public void startWithoutWaiting() {
        process = launch.start();
    }

    /// Freezes the relay's process (SIGSTOP) until [#unfreeze()] is called. Its database keeps
    /// running.
    public void freeze() {
        signal("STOP");
    }

    public void unfreeze() {
        signal("CONT");
    }

    private void signal(String name) {
        SystemCommands.signal(name, process.pid());
    }

    /// Runs the launcher's `audit` command with the relay's settings. Returns 0 if the audit found
    /// no problems, 1 if it found some, and 2 if it could not run or did not end in time.
    ///
    /// @param output the file to which the audit's output is appended
    public int audit(Path output) {
        return audit(output, Map.of());
    }

    /// Like `audit(output)`, but with settings that override the relay's.
    public int audit(Path output, Map<String, String> settings) {
        var audit = launch.start(output, settings, "audit");
        if (SystemCommands.awaitEnd(audit, AUDIT_TIMEOUT)) {
            return audit.exitValue();
        }
        audit.destroyForcibly();
        return 2;
    }

    /// Starts a launcher command, such as `export-data`, with the relay's settings.
    ///
    /// @param output the file to which the command's output is appended
    /// @param settings additional settings, which override the relay's
    public Process launch(Path output, Map<String, String> settings, String... command) {
        return launch.start(output, settings, command);
    }

    /// Returns the settings that make another relay use `database` and this relay's master key.
    public Map<String, String> databaseSettings(DatabaseAddress database) {
        return launch.databaseSettings(database);
    }

    /// Returns how many lines of the log contain this text.
    public long countLogLines(String text) {
        return logLines(text).size();
    }

    /// Returns the lines of the log that contain this text. The log covers all starts of the relay.
    public List<String> logLines(String text) {
        return unchecked(() -> Files.readAllLines(launch.log(), ISO_8859_1)).stream()
                .filter(line -> line.contains(text))
                .toList();
    }

    /// Returns the time at which a line of the log was written.
    public static Instant logTime(String line) {
        return Instant.parse(line.substring(0, line.indexOf(' ')));
    }

    /// Returns the errors in the log, each with the first line of its stack trace, if it has one.
    /// The log covers all starts of the relay.
    public List<String> errors() {
        return unchecked(() -> {
            var lines = Files.readAllLines(launch.log(), ISO_8859_1);
            var errors = new ArrayList<String>();
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).contains(" ERROR ")) {
                    boolean hasCause =
                            i + 1 < lines.size()
                                    && !LOG_LINE_START.matcher(lines.get(i + 1)).find();
                    errors.add(lines.get(i) + (hasCause ? " | " + lines.get(i + 1) : ""));
                }
            }
            return errors;
        });
    }

    /// Asks the relay to stop (SIGTERM) and returns its exit status, or -1 if it had to be killed.
    public int stop() {
        process.destroy();
        if (awaitEnd()) {
            return process.exitValue();
        }
        process.destroyForcibly();
        return -1;
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(onExit);
        } catch (IllegalStateException exiting) {
            // The shutdown hook is already running.
            return;
        }
        if (process.isAlive()) {
            stop();
        }
        destroy();
    }

    /// Returns the data directory.
    public Path data() {
        return launch.data();
    }

    /// Returns the path for a scenario's own file, such as a ledger. The file is removed together
    /// with the relay's directory.
    public Path scratchFile(String name) {
        return launch.directory().resolve(name);
    }

    /// Returns the end of a file in the relay's directory.
    public String tail(String name) {
        return launch.tail(scratchFile(name));
    }

    /// Returns the end of the relay's output.
    public String logTail() {
        return launch.logTail();
    }

    private void awaitUp(Duration limit) {
        boolean ended = !Wait.until(limit, () -> !process.isAlive() || api.isUp());
        if (ended || !process.isAlive()) {
            throw new IllegalStateException("the relay did not start; it printed:\n" + logTail());
        }
    }

    private boolean awaitEnd() {
        return SystemCommands.awaitEnd(process, STOP_TIMEOUT);
    }

    /// Kills the relay and its PostgreSQL, whatever state they are in, and removes all files unless
    /// `keep` is true. If this relay uses another relay's database, kills only this relay and
    /// removes nothing.
    private void destroy() {
        process.destroyForcibly();
        awaitEnd();
        if (sharesDatabase) {
            return; // the host relay owns the rest
        }
        postmaster().ifPresent(ProcessHandle::destroyForcibly);
        Wait.until(Duration.ofSeconds(10), () -> postmaster().isEmpty());
        if (keep) {
            System.err.println("kept: " + launch.directory());
            return;
        }
        TemporaryDirectory.remove(launch.directory());
    }

    /// Returns a port on which no process was listening a moment ago.
    public static int freePort() {
        return unchecked(() -> {
            try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            }
        });
    }
}
