package dev.sluice.cli;

import dev.sluice.cli.shell.Shell;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// The command line tool with a wall clock that a test moves on by 12 hours, as after a sleep: by
/// making a file. The monotonic clock stays as it is.
final class LeapingCommand {

    /// The system property with the path of that file.
    static final String FILE = "sluice.leap";

    private static final Duration LEAP = Duration.ofHours(12);

    private LeapingCommand() {}

    public static void main(String[] args) {
        var file = Path.of(System.getProperty(FILE));
        InstantSource clock = () -> Instant.now().plus(Files.exists(file) ? LEAP : Duration.ZERO);
        int status = SluiceCommand.run(Shell.ofProcess(), clock, args);
        System.out.flush();
        System.exit(status);
    }
}
