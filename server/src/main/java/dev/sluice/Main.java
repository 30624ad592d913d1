package dev.sluice;

import dev.sluice.platform.config.Settings;
import dev.sluice.platform.postgres.PostgresRefusal;

import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// The server's command line: reads settings, starts, and stops on SIGTERM or Ctrl-C. With the
/// argument `audit` it checks the database instead.
public final class Main {

    private static final int REFUSED = 1;
    private static final int WRONG_SETTINGS = 2;

    private static final Duration LONGEST_STOP = Duration.ofSeconds(24);

    private static final String PREFIX = "SLUICE_";
    private static final String FILE = "SLUICE_CONFIG";

    /// The command line tool's own.
    private static final Set<String> NOT_OURS =
            Set.of("SLUICE_SERVER", "SLUICE_API_KEY", "SLUICE_PROFILE");

    private Main() {}

    @SuppressWarnings("SystemOut") // it speaks to a person, not to the log
    public static void main(String[] args) {
        if (args.length > 0 && args[0].equals("audit")) {
            System.exit(AuditCommand.run(config(), System.out, System.err));
        }
        try {
            run(config());
        } catch (StartRefused | PostgresRefusal e) {
            complain(String.valueOf(e.getMessage()));
            System.exit(REFUSED);
        }
    }

    private static Config config() {
        try {
            var settings = new Settings(named(System.getenv()));
            var config = Config.read(settings);
            refuseWrong(settings.complaints());
            return config;
        } catch (UncheckedIOException e) {
            refuseWrong(List.of(String.valueOf(e.getMessage())));
            throw e;
        }
    }

    private static void run(Config config) {
        // A name is looked up anew for every few seconds of attempts, so that it cannot change
        // unseen.
        Security.setProperty("networkaddress.cache.ttl", "5");
        Security.setProperty("networkaddress.cache.negative.ttl", "5");
        if (config.logFormat().equals("json")) {
            System.setProperty(
                    "logback.configurationFile", "logback-json.xml"); // before the first logger
        }
        var sluice = Sluice.start(config, version());
        var stopped = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    haltAfter(LONGEST_STOP.plus(config.stopDelay()), stopped);
                                    LoggerFactory.getLogger(Main.class).info("server.stopping");
                                    sluice.close();
                                    LoggerFactory.getLogger(Main.class).info("server.stopped");
                                    stopped.countDown();
                                    Runtime.getRuntime()
                                            .halt(0); // a stop that was asked for is no failure
                                },
                                "stop"));
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// A database that hangs must not keep the process: what is stored is safe, and an embedded
    /// server that is left behind is stopped by the next start.
    private static void haltAfter(Duration longest, CountDownLatch stopped) {
        Thread.ofPlatform()
                .name("longest stop")
                .daemon()
                .start(() -> {
                    try {
                        if (!stopped.await(longest.toMillis(), TimeUnit.MILLISECONDS)) {
                            LoggerFactory.getLogger(Main.class).warn("server.stop_unfinished");
                            Runtime.getRuntime().halt(0);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
    }

    /// The settings of the environment over those of the file, all under the environment's names.
    static Map<String, String> named(Map<String, String> environment) {
        Map<String, String> named = new TreeMap<>();
        String file = environment.getOrDefault(FILE, "");
        if (!file.isBlank()) {
            fromFile(Path.of(file)).forEach(named::put);
        }
        environment.forEach((name, value) -> {
            boolean isOurs =
                    name.startsWith(PREFIX) && !name.equals(FILE) && !NOT_OURS.contains(name);
            if (isOurs && !value.isBlank()) {
                named.put(name, value);
            }
        });
        return named;
    }

    private static Map<String, String> fromFile(Path file) {
        var properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (IllegalArgumentException e) {
            throw new UncheckedIOException(
                    FILE
                            + " names "
                            + file
                            + ", which is no properties file: a \\u without four hexadecimal"
                            + " digits",
                    new IOException(e));
        } catch (IOException e) {
            throw new UncheckedIOException(FILE + " names " + file + ", which cannot be read", e);
        }
        Map<String, String> named = new TreeMap<>();
        for (String name : properties.stringPropertyNames()) {
            named.put(
                    PREFIX + name.toUpperCase(Locale.ROOT).replace('.', '_'),
                    properties.getProperty(name));
        }
        return named;
    }

    private static void refuseWrong(List<String> complaints) {
        if (!complaints.isEmpty()) {
            complain("The settings are wrong:");
            complaints.forEach(complaint -> complain("  " + complaint));
            System.exit(WRONG_SETTINGS);
        }
    }

    @SuppressWarnings("SystemOut") // it speaks to a person, not to the log
    private static void complain(String line) {
        System.err.println(line);
    }

    static String version() {
        var properties = new Properties();
        try (var in = Main.class.getResourceAsStream("/sluice.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            // Then it has none.
        }
        return properties.getProperty("version", "unknown");
    }
}
