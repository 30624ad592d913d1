package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

class SettingSourcesTest {

    @TempDir private Path directory;

    private Path file() {
        return directory.resolve("sluice.properties");
    }

    private Config read(String text, Map<String, String> environment) throws IOException {
        var settings = SettingSources.read(environment(text, environment));
        return Config.read(settings);
    }

    private Map<String, String> environment(String text, Map<String, String> more)
            throws IOException {
        Files.writeString(file(), text);
        var environment = new HashMap<>(more);
        environment.put("SLUICE_CONFIG", file().toString());
        return environment;
    }

    @Test
    void the_environment_wins_over_the_file() throws IOException {
        var config =
                read("port = 9001\nadmin.email = ops@example.com", Map.of("SLUICE_PORT", "9002"));

        assertThat(config.server().port()).isEqualTo(9_002);
        assertThat(config.account().initialSetup().email()).isEqualTo("ops@example.com");
    }

    @Test
    void a_mistake_in_the_file_is_reported_as_it_stands_there() throws IOException {
        var settings =
                SettingSources.read(
                        environment(
                                "admin.emial = a@b\nport = x\nSLUICE_HOST = ::1\nlog_format = xml",
                                Map.of("SLUICE_PROT", "1", "SLUICE_LOG_LEVEL", "loud")));
        Config.read(settings);

        String place = " in " + file();
        assertThat(settings.errors())
                .containsExactlyInAnyOrder(
                        "admin.emial" + place + " is not a setting; did you mean admin.email?",
                        "SLUICE_HOST" + place + " is not a setting; did you mean host?",
                        "port" + place + " must be a whole number from 0 to 65535, not 'x'",
                        "log_format" + place + " must be one of text, json, not 'xml'",
                        "SLUICE_PROT is not a setting; did you mean SLUICE_PORT?",
                        "SLUICE_LOG_LEVEL must be one of error, warn, info, debug, not 'loud'");
    }

    @Test
    void a_setting_of_the_environment_is_reported_by_its_own_name() throws IOException {
        var settings = SettingSources.read(environment("port = 9001", Map.of("SLUICE_PORT", "x")));
        Config.read(settings);

        assertThat(settings.errors())
                .containsExactly("SLUICE_PORT must be a whole number from 0 to 65535, not 'x'");
    }
}
