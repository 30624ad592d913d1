package dev.sluice;

import com.sun.management.HotSpotDiagnosticMXBean;

import dev.sluice.platform.http.ServerVersion;
import dev.sluice.platform.postgres.PostgresStartException;

import org.slf4j.LoggerFactory;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.security.Security;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// The entry point of the server process: reads the settings, starts [Sluice] and stops it on
/// SIGTERM or Ctrl-C. With one of these arguments, it runs a command instead: `audit`
/// ([AuditCommand]), `set-plan` ([SetPlanCommand]), `suspend` and `resume` ([SuspensionCommand]),
/// `tenants` ([TenantsCommand]), `reset-password` ([ResetPasswordCommand]), `reset-key`
/// ([ResetKeyCommand]), `export-data` ([ExportDataCommand]) or `import-data` ([ImportDataCommand]).
public final class Main {

    private static final int EXIT_START_REFUSED = 1;
    private static final int EXIT_WRONG_SETTINGS = 2;

    /// How long stopping may take, not counting `SLUICE_STOP_DELAY`. After this time, the process
    /// exits even if it has not finished stopping.
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(24);

    private Main() {}

    @SuppressWarnings("SystemOut") // printed for a person to read, not logged
    public static void main(String[] args) {
        if (args.length > 0 && args[0].equals("audit")) {
            System.exit(AuditCommand.run(config(), System.out, System.err));
        }
        if (args.length > 0 && args[0].equals("set-plan")) {
            var arguments = Arrays.asList(args).subList(1, args.length);
            System.exit(SetPlanCommand.run(config(), arguments, System.out, System.err));
        }
        if (args.length > 0 && args[0].equals("suspend")) {
            var arguments = Arrays.asList(args).subList(1, args.length);
            System.exit(SuspensionCommand.suspend(config(), arguments, System.out, System.err));
        }
        if (args.length > 0 && args[0].equals("resume")) {
            var arguments = Arrays.asList(args).subList(1, args.length);
            System.exit(SuspensionCommand.resume(config(), arguments, System.out, System.err));
        }
        if (args.length > 0 && args[0].equals("tenants")) {
            var arguments = Arrays.asList(args).subList(1, args.length);
            System.exit(TenantsCommand.run(config(), arguments, System.out, System.err));
        }
        if (args.length > 0 && args[0].equals("reset-password")) {
            var arguments = Arrays.asList(args).subList(1, args.length);
            System.exit(
                    ResetPasswordCommand.run(
                            config(), arguments, System.in, System.out, System.err));
        }
        if (args.length > 0 && args[0].equals("reset-key")) {
            var arguments = Arrays.asList(args).subList(1, args.length);
            System.exit(ResetKeyCommand.run(config(), arguments, System.out, System.err));
        }
        if (args.length > 0 && args[0].equals("export-data")) {
            var arguments = Arrays.asList(args).subList(1, args.length);
            var out = new FileOutputStream(FileDescriptor.out);
            var passphrase = PassphraseOption.onTerminal();
            System.exit(ExportDataCommand.run(config(), arguments, passphrase, out, System.err));
        }
        if (args.length > 0 && args[0].equals("import-data")) {
            var arguments = Arrays.asList(args).subList(1, args.length);
            var passphrase = PassphraseOption.onTerminal();
            System.exit(
                    ImportDataCommand.run(config(), arguments, passphrase, System.in, System.err));
        }
        try {
            run(config());
        } catch (StartupException | PostgresStartException e) {
            printError(String.valueOf(e.getMessage()));
            System.exit(EXIT_START_REFUSED);
        }
    }

    private static Config config() {
        try {
            var settings = SettingSources.read(System.getenv());
            var config = Config.read(settings);
            exitOnComplaints(settings.errors());
            configureLog(config);
            return config;
        } catch (UncheckedIOException e) {
            exitOnComplaints(List.of(String.valueOf(e.getMessage())));
            throw e;
        }
    }

    /// Sets the level and format of the log. Must be called before the process creates its first
    /// logger.
    private static void configureLog(Config config) {
        System.setProperty("sluice.log.level", config.log().level());
        if (config.log().format().equals("json")) {
            System.setProperty("logback.configurationFile", "logback-json.xml");
        }
    }

    private static void run(Config config) {
        // Host names are looked up again after 5 s, so that a DNS change takes effect quickly.
        Security.setProperty("networkaddress.cache.ttl", "5");
        Security.setProperty("networkaddress.cache.negative.ttl", "5");
        var log = LoggerFactory.getLogger(Main.class);
        var sluice = Sluice.start(config, version());
        System.gc(); // releases the memory needed only for startup
        sluice.keepHeapRoomWhileBusy();
        if (hasRefusedCache()) {
            log.atWarn().log("cache.refused");
        }
        var stopped = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    haltAfter(
                                            STOP_TIMEOUT.plus(config.server().stopDelay()),
                                            stopped);
                                    log.atInfo().log("server.stop_requested");
                                    sluice.close();
                                    log.atInfo().log("server.stopped");
                                    stopped.countDown();
                                    Runtime.getRuntime()
                                            .halt(0); // a requested stop is not a failure
                                },
                                "stop"));
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Whether the JVM was given a cache of loaded classes (JEP 514) and could not use it.
    private static boolean hasRefusedCache() {
        var jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        String cache = jvm.getVMOption("AOTCache").getValue();
        return cache != null
                && !cache.isEmpty()
                && !System.getProperty("java.vm.info", "").contains("sharing");
    }

    /// Ends the process if stopping takes longer than `timeout`, for example because the database
    /// hangs. Stored data is safe. If the embedded PostgreSQL keeps running, the next server start
    /// stops it.
    private static void haltAfter(Duration timeout, CountDownLatch stopped) {
        var log = LoggerFactory.getLogger(Main.class);
        Thread.ofPlatform()
                .name("stop-timeout")
                .daemon()
                .start(() -> {
                    try {
                        if (!stopped.await(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                            log.atWarn().log("server.halted");
                            Runtime.getRuntime().halt(0);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
    }

    private static void exitOnComplaints(List<String> errors) {
        if (!errors.isEmpty()) {
            printError("Some settings are invalid:");
            errors.forEach(error -> printError("  " + error));
            System.exit(EXIT_WRONG_SETTINGS);
        }
    }

    @SuppressWarnings("SystemOut") // printed for a person to read, not logged
    private static void printError(String line) {
        System.err.println(line);
    }

    static String version() {
        return ServerVersion.VERSION;
    }
}
