import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Checks or fixes the layout of all Java files below the modules' `src` folders.
///
///     java tools/Format.java directory-with-the-formatter check|fix repository
///
/// A program and not a plugin, because the formatter needs a newer JDK than Maven may run on.
class Format {

    private static final List<String> MODULES = List.of("contract", "server", "cli", "bench", "faults", "clients");

    public static void main(String[] args) throws IOException, InterruptedException {
        boolean fix = args[1].equals("fix");
        var files = new ArrayList<String>();
        for (String module : MODULES) {
            Path sources = Path.of(args[2], module, "src");
            if (!Files.isDirectory(sources)) {
                continue;
            }
            try (Stream<Path> paths = Files.walk(sources)) {
                paths.map(Path::toString).filter(path -> path.endsWith(".java")).sorted().forEach(files::add);
            }
        }
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        for (String part : List.of("api", "code", "file", "parser", "tree", "util")) {
            command.add("--add-exports=jdk.compiler/com.sun.tools.javac." + part + "=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", Path.of(args[0], "*").toString(), "com.google.googlejavaformat.java.Main"));
        command.add("--aosp");
        command.addAll(fix ? List.of("--replace") : List.of("--dry-run", "--set-exit-if-changed"));
        command.addAll(files);
        int exit = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (exit != 0 && !fix) {
            System.err.println("The files above are not formatted. To mend them: mvn -N validate -Dformat=fix");
        }
        System.exit(exit);
    }
}
