package dev.sluice.cli.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/// The scripts in the folder `bin` of this checkout.
public final class LauncherScripts {

    private static final Path BIN = Path.of("..", "bin").toAbsolutePath().normalize();

    private LauncherScripts() {}

    /// Copies all that `bin/sluice` needs into the folder `bin` of a distribution. The copies stay
    /// executable.
    public static void copyTo(Path distribution) throws IOException {
        var bin = Files.createDirectories(distribution.resolve("bin"));
        for (String name : List.of("sluice", "jdk", "help.txt")) {
            Files.copy(BIN.resolve(name), bin.resolve(name), StandardCopyOption.COPY_ATTRIBUTES);
        }
    }
}
