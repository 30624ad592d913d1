package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.config.Settings;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

class ConfigReferenceTest {

    private static final Path CONFIG_REFERENCE = Path.of("../docs/reference/config.md");

    /// Matches the first cell of a table row, such as "| `SLUICE_PORT` |".
    private static final Pattern SETTING_ROW =
            Pattern.compile("^\\| `((?:SLUICE|OTEL)_[A-Z_]+)`", Pattern.MULTILINE);

    @Test
    void the_reference_names_exactly_the_settings_that_are_read() throws IOException {
        var settings = new Settings(Map.of());
        Config.read(settings);

        assertThat(namesInReference()).containsExactlyInAnyOrderElementsOf(settings.readNames());
    }

    @Test
    void without_any_setting_nothing_is_wrong() {
        var settings = new Settings(Map.of());
        Config.read(settings);

        assertThat(settings.errors()).isEmpty();
    }

    private static List<String> namesInReference() throws IOException {
        return SETTING_ROW
                .matcher(Files.readString(CONFIG_REFERENCE))
                .results()
                .map(row -> row.group(1))
                .toList();
    }
}
