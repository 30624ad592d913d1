package dev.sluice.cli.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;

/// The scripts in the folder `bin` of this checkout.
public final class LauncherScripts {

    private static final Path BIN = Path.of("..", "bin").toAbsolutePath().normalize();

    private LauncherScripts() {}

    /// Makes a distribution of `bin/sluice` that runs the classes of this test.
    ///
    /// @param modules those that it has, such as `cli`
    public static void makeDistribution(Path folder, List<String> modules) throws IOException {
        var manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath());
        for (String module : modules) {
            var lib = Files.createDirectories(folder.resolve("lib").resolve(module));
            try (var out = Files.newOutputStream(lib.resolve("classes.jar"))) {
                new JarOutputStream(out, manifest).close();
            }
        }
        copyTo(folder);
    }

    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toUri().toString())
                .collect(Collectors.joining(" "));
    }

    /// Copies all that `bin/sluice` needs into the folder `bin` of a distribution. The copies stay
    /// executable.
    public static void copyTo(Path distribution) throws IOException {
        var bin = Files.createDirectories(distribution.resolve("bin"));
        for (String name : List.of("sluice", "jdk", "help.txt")) {
            Files.copy(BIN.resolve(name), bin.resolve(name), StandardCopyOption.COPY_ATTRIBUTES);
        }
    }
}
