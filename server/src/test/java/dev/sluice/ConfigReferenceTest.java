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

    private static final Path REFERENCE = Path.of("../docs/reference/config.md");

    /// The first cell of a table row, such as "| `SLUICE_PORT` |".
    private static final Pattern ROW =
            Pattern.compile("^\\| `(SLUICE_[A-Z_]+)`", Pattern.MULTILINE);

    @Test
    void the_reference_names_exactly_the_settings_that_are_read() throws IOException {
        var settings = new Settings(Map.of());
        Config.read(settings);

        assertThat(namesInReference()).containsExactlyInAnyOrderElementsOf(settings.asked());
    }

    @Test
    void without_any_setting_nothing_is_wrong() {
        var settings = new Settings(Map.of());
        Config.read(settings);

        assertThat(settings.complaints()).isEmpty();
    }

    private static List<String> namesInReference() throws IOException {
        return ROW.matcher(Files.readString(REFERENCE)).results().map(row -> row.group(1)).toList();
    }
}
