package dev.sluice.bench.relay;

import dev.sluice.bench.measure.Role;
import dev.sluice.bench.platform.TemporaryDirectory;
import dev.sluice.bench.platform.Tool;
import dev.sluice.bench.platform.Wait;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A relay of our own, in a data directory of its own that goes when it is closed.
///
/// Its launcher replaces itself by the server, so the process started here is the server.
public final class Relay implements Target {

    /// The launcher may have to build the server first. Of each log line but those of a cause.
    private static final Pattern BEGINNING = Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT");

    private static final Duration FIRST_START = Duration.ofMinutes(10);

    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration STOP = Duration.ofMinutes(1);

    private final Launch launch;
    private final Api api;
    private final boolean keep;
    private final boolean isGuest;
    private final Thread onExit = new Thread(this::abandon, "end the relay");
    private Process process;

    /// @param isGuest whether it lives in another one's directory, on its database
    private Relay(Launch launch, Api api, boolean keep, boolean isGuest, Process process) {
        this.launch = launch;
        this.keep = keep;
        this.isGuest = isGuest;
        this.api = api;
        this.process = process;
    }

    /// Returns once it answers.
    ///
    /// @param keep whether its directory stays, for who wants to look into it
    public static Relay start(Path launcher, boolean keep) {
        return start(launcher, keep, Map.of());
    }

    /// As above.
    ///
    /// @param settings more of them, by their environment names
    public static Relay start(Path launcher, boolean keep, Map<String, String> settings) {
        try {
            Path directory = TemporaryDirectory.make("sluice-bench-");
            String key = ("bench-" + UUID.randomUUID() + UUID.randomUUID()).substring(0, 48);
            var launch = new Launch(launcher, directory, "relay", freePort(), key, settings);
            return start(launch, keep, false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// One more relay on this one's database; to be closed first.
    public Relay second() {
        try {
            return start(launch.beside(freePort()), keep, true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// One more relay, on the database that this one has made; to be closed first.
    ///
    /// @param database where it is now, maybe behind a wire
    /// @param settings more of them, by their environment names
    Relay beside(String name, DatabaseAddress database, Map<String, String> settings) {
        try {
            return start(launch.beside(name, freePort(), database, settings), keep, true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Relay start(Launch launch, boolean keep, boolean isGuest) {
        var api = new Api(URI.create("http://127.0.0.1:" + launch.port()), launch.key());
        var relay = new Relay(launch, api, keep, isGuest, launch.start());
        Runtime.getRuntime().addShutdownHook(relay.onExit);
        relay.awaitUp(FIRST_START);
        return relay;
    }

    @Override
    public Api api() {
        return api;
    }

    @Override
    public Map<Role, Long> processes() {
        var processes = new EnumMap<Role, Long>(Role.class);
        processes.put(Role.RELAY, process.pid());
        postmaster().ifPresent(found -> processes.put(Role.POSTGRES, found.pid()));
        return processes;
    }

    public Optional<ProcessHandle> postmaster() {
        return Postmaster.in(launch.data());
    }

    /// How to reach its PostgreSQL, which must run.
    public DatabaseAddress database() {
        return DatabaseAddress.in(launch.data());
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /// The epoch that it lives under, by its log.
    public long epoch() {
        String joined = log("node.joined").getLast();
        return Long.parseLong(joined.replaceAll(".*epoch=\"?([0-9]+).*", "$1"));
    }

    /// `kill -9`; returns when it is dead.
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /// Starts again in the same data directory, after [#kill()] or [#stop()].
    public void restart() {
        begin();
        awaitUp(START);
    }

    /// As [#restart()], without waiting until it answers.
    public void begin() {
        process = launch.start();
    }

    /// Its process stands still (SIGSTOP) until [#thaw()]; its database goes on.
    public void freeze() {
        signal("STOP");
    }

    public void thaw() {
        signal("CONT");
    }

    private void signal(String name) {
        Tool.signal(name, process.pid());
    }

    /// Runs the launcher's command `audit` beside it: 0 when everything is in order, 1 when not, 2
    /// when it could not run.
    ///
    /// @param output where it prints
    public int audit(Path output) {
        var audit = launch.start("audit", output);
        if (Tool.awaitEnd(audit, START)) {
            return audit.exitValue();
        }
        audit.destroyForcibly();
        return 2;
    }

    /// How many lines of its log hold this text.
    public long logged(String text) {
        return log(text).size();
    }

    /// The lines of its log, over all its lives, that hold this text.
    public List<String> log(String text) {
        try (Stream<String> lines = Files.lines(launch.log(), StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.contains(text)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The errors in its log, over all its lives, each with the first line of its cause.
    public List<String> errors() {
        try {
            var lines = Files.readAllLines(launch.log(), StandardCharsets.ISO_8859_1);
            var errors = new ArrayList<String>();
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).contains(" ERROR ")) {
                    boolean hasCause =
                            i + 1 < lines.size() && !BEGINNING.matcher(lines.get(i + 1)).find();
                    errors.add(lines.get(i) + (hasCause ? " | " + lines.get(i + 1) : ""));
                }
            }
            return errors;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Asks it to stop (SIGTERM) and gives its exit status; -1 when it had to be killed.
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
            // The hook is at it already.
            return;
        }
        if (process.isAlive()) {
            stop();
        }
        abandon();
    }

    /// Where its data are.
    Path data() {
        return launch.data();
    }

    /// Where a scenario may keep its ledgers; goes with the rest.
    public Path scratch(String name) {
        return launch.directory().resolve(name);
    }

    /// The end of a file in its directory.
    public String said(String name) {
        return launch.end(scratch(name));
    }

    /// The end of what it printed.
    public String lastWords() {
        return launch.lastWords();
    }

    private void awaitUp(Duration limit) {
        boolean ended = !Wait.until(limit, () -> !process.isAlive() || api.isUp());
        if (ended || !process.isAlive()) {
            throw new IllegalStateException("the relay did not start; it said:\n" + lastWords());
        }
    }

    private boolean awaitEnd() {
        return Tool.awaitEnd(process, STOP);
    }

    /// Leaves nothing behind, whatever state it is in.
    private void abandon() {
        process.destroyForcibly();
        awaitEnd();
        if (isGuest) {
            return; // the rest is its host's
        }
        postmaster().ifPresent(ProcessHandle::destroyForcibly);
        Wait.until(Duration.ofSeconds(10), () -> postmaster().isEmpty());
        if (keep) {
            System.err.println("kept: " + launch.directory());
            return;
        }
        TemporaryDirectory.remove(launch.directory());
    }

    static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
