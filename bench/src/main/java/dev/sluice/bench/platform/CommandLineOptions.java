package dev.sluice.bench.platform;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// The `--name value` pairs of a command line. A name without a value is a flag.
///
/// Call [#rejectUnknown()] after all options have been read. It throws if the command line contains
/// a name that was not read.
public final class CommandLineOptions {

    private final Map<String, String> given;
    private final Set<String> read = new HashSet<>();

    private CommandLineOptions(Map<String, String> given) {
        this.given = given;
    }

    public static CommandLineOptions parse(List<String> arguments) {
        var given = new LinkedHashMap<String, String>();
        for (int at = 0; at < arguments.size(); at++) {
            String name = arguments.get(at);
            if (!name.startsWith("--") || name.length() == 2) {
                throw new CommandLineException("'" + name + "' is not an option");
            }
            boolean hasValue = at + 1 < arguments.size() && !arguments.get(at + 1).startsWith("--");
            given.put(name.substring(2), hasValue ? arguments.get(++at) : "");
        }
        return new CommandLineOptions(given);
    }

    public boolean flag(String name) {
        read.add(name);
        return given.containsKey(name);
    }

    public Optional<String> text(String name) {
        read.add(name);
        return Optional.ofNullable(given.get(name));
    }

    public Optional<Path> path(String name) {
        return text(name).map(Path::of);
    }

    public Optional<URI> uri(String name) {
        return text(name).map(URI::create);
    }

    /// Returns the option's value, which must be a whole number from 0 to 99,999,999, or `standard`
    /// if the option is missing.
    public int number(String name, int standard) {
        String text = text(name).orElse(Integer.toString(standard));
        if (!text.matches("[0-9]{1,8}")) {
            throw new CommandLineException(
                    "--" + name + " must be a whole number, not '" + text + "'");
        }
        return Integer.parseInt(text);
    }

    public Duration seconds(String name, int standard) {
        return Duration.ofSeconds(number(name, standard));
    }

    public void rejectUnknown() {
        var unknown = new TreeSet<>(given.keySet());
        unknown.removeAll(read);
        if (!unknown.isEmpty()) {
            throw new CommandLineException("no such option: --" + String.join(", --", unknown));
        }
    }
}
