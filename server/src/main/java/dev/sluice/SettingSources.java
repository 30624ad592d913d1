package dev.sluice;

import dev.sluice.platform.config.Settings;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;

/// Collects the settings from the environment and from the file named by `SLUICE_CONFIG`. If both
/// define a setting, the environment wins, unless its value is blank. If a setting comes from the
/// file, error messages spell its name as the file does.
final class SettingSources {

    private static final String TRACING_PREFIX = "OTEL_";
    private static final String CONFIG_FILE_SETTING = "SLUICE_CONFIG";

    /// Settings for the command line tool. The server ignores them instead of reporting an error,
    /// because the tool may run in the same environment.
    private static final Set<String> CLIENT_SETTINGS =
            Set.of(
                    "SLUICE_SERVER",
                    "SLUICE_API_KEY",
                    "SLUICE_PROFILE",
                    "SLUICE_OUTPUT",
                    "SLUICE_FORWARD_TO");

    private final Map<String, String> values = new TreeMap<>();
    private final Map<String, String> namesInFile = new TreeMap<>();

    private SettingSources() {}

    /// @throws UncheckedIOException if the file cannot be read; the message tells the operator why
    static Settings read(Map<String, String> environment) {
        var sources = new SettingSources();
        String file = environment.getOrDefault(CONFIG_FILE_SETTING, "");
        if (!file.isBlank()) {
            sources.addFile(Path.of(file));
        }
        environment.forEach(sources::addVariable);
        return new Settings(sources.values, sources.namesInFile);
    }

    private void addFile(Path file) {
        var properties = properties(file);
        for (String written : properties.stringPropertyNames()) {
            String name = Settings.PREFIX + written.toUpperCase(Locale.ROOT).replace('.', '_');
            values.put(name, properties.getProperty(written));
            namesInFile.put(name, written + " in " + file);
        }
    }

    private void addVariable(String name, String value) {
        boolean isOurs =
                (name.startsWith(Settings.PREFIX) || name.startsWith(TRACING_PREFIX))
                        && !name.equals(CONFIG_FILE_SETTING)
                        && !CLIENT_SETTINGS.contains(name);
        if (isOurs && !value.isBlank()) {
            values.put(name, value);
            namesInFile.remove(name);
        }
    }

    private static Properties properties(Path file) {
        var properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
            return properties;
        } catch (IllegalArgumentException e) {
            throw new UncheckedIOException(
                    CONFIG_FILE_SETTING
                            + " names "
                            + file
                            + ", which is not a valid properties file: it has a \\u without four"
                            + " hexadecimal digits",
                    new IOException(e));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    CONFIG_FILE_SETTING + " names " + file + ", which cannot be read", e);
        }
    }
}
