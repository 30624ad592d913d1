package dev.sluice.platform.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Map;

class SettingsTest {

    @Test
    void every_wrong_setting_is_named_at_once() {
        var settings =
                new Settings(
                        Map.of(
                                "PORT", "eighty",
                                "LEASE", "6 minutes",
                                "JITTER", "1.5",
                                "FORMAT", "xml",
                                "BACH", "10"));

        settings.integer("PORT", 8080, 0, 65_535);
        settings.duration("LEASE", Duration.ofMinutes(6));
        settings.fraction("JITTER", 0.2);
        settings.oneOf("FORMAT", "text", List.of("text", "json"));
        settings.integer("BATCH", 10, 1, 100);

        assertThat(settings.errors())
                .containsExactlyInAnyOrder(
                        "PORT must be a whole number from 0 to 65535, not 'eighty'",
                        "LEASE must be a duration such as 60s, 10m or PT30S, not '6 minutes'",
                        "JITTER must be a number from 0 to 1, not '1.5'",
                        "FORMAT must be one of text, json, not 'xml'",
                        "BACH is not a setting; did you mean BATCH?");
    }

    @ParameterizedTest
    @CsvSource({
        "SLUICE_PROT,        ; did you mean SLUICE_PORT?",
        "SLUICE_POR,         ; did you mean SLUICE_PORT?",
        "SLUICE_PORTS,       ; did you mean SLUICE_PORT?",
        "SLUICE_DATADIR,     ; did you mean SLUICE_DATA_DIR?",
        "SLUICE_SOMETHING,   ''",
    })
    void an_unknown_name_is_refused_with_the_nearest_known_one(String name, String hint) {
        var settings = new Settings(Map.of(name, "x"));
        settings.text("SLUICE_PORT");
        settings.text("SLUICE_DATA_DIR");

        assertThat(settings.errors()).containsExactly(name + " is not a setting" + hint);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n"})
    void an_empty_value_counts_as_not_set(String empty) {
        var settings = new Settings(Map.of("PORT", empty, "UNKNOWN", empty));

        assertThat(settings.text("PORT")).isEmpty();
        assertThat(settings.integer("PORT", 8080, 0, 65_535)).isEqualTo(8080);
        assertThat(settings.errors()).isEmpty();
    }

    @Test
    void space_around_a_value_is_not_part_of_it() {
        assertThat(new Settings(Map.of("HOST", " 127.0.0.1\n")).text("HOST")).contains("127.0.0.1");
    }

    @ParameterizedTest
    @CsvSource({
        "500ms, PT0.5S",
        "60s, PT60S",
        "10m, PT10M",
        "1h, PT1H",
        "1h30m, PT1H30M",
        "1.5s, PT1.5S",
        "PT30S, PT30S",
        "pt30s, PT30S",
        "P1D, P1D",
        "10M, PT10M",
        "500MS, PT0.5S",
    })
    void a_duration_is_written_as_people_do(String text, Duration duration) {
        var settings = new Settings(Map.of("D", text));

        assertThat(settings.duration("D", Duration.ZERO)).isEqualTo(duration);
        assertThat(settings.errors()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "60",
                "s",
                "ms",
                "0s",
                "-5s",
                "0ms",
                "-1ms",
                "1d",
                "1 s",
                "soon",
                "PT",
                "1e3s",
                "99999999999999999999ms",
                "9999999999999999999h"
            })
    void what_is_no_duration_is_refused(String text) {
        var settings = new Settings(Map.of("D", text));

        assertThat(settings.duration("D", Duration.ofSeconds(7))).isEqualTo(Duration.ofSeconds(7));
        assertThat(settings.errors())
                .containsExactly(
                        "D must be a duration such as 60s, 10m or PT30S, not '" + text + "'");
    }

    @ParameterizedTest
    @CsvSource({"0, 0.0", "1, 1.0", "0.2, 0.2", "1e-1, 0.1"})
    void a_fraction_is_from_0_to_1(String text, double fraction) {
        var settings = new Settings(Map.of("F", text));

        assertThat(settings.fraction("F", 0.5)).isEqualTo(fraction);
        assertThat(settings.errors()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-0.1", "1.0001", "NaN", "Infinity", "20%", "0,2"})
    void what_is_no_fraction_is_refused(String text) {
        var settings = new Settings(Map.of("F", text));

        assertThat(settings.fraction("F", 0.5)).isEqualTo(0.5);
        assertThat(settings.errors())
                .containsExactly("F must be a number from 0 to 1, not '" + text + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "65536", "80.0", "0x50", "99999999999", "eighty"})
    void a_number_is_whole_and_within_its_bounds(String text) {
        var settings = new Settings(Map.of("N", text));

        assertThat(settings.integer("N", 5, 0, 65_535)).isEqualTo(5);
        assertThat(settings.errors()).hasSize(1);
    }

    @Test
    void names_asked_for_are_told_in_order() {
        var settings = new Settings(Map.of());
        settings.text("B");
        settings.text("A");
        settings.text("B");

        assertThat(settings.readNames()).containsExactly("A", "B");
    }
}
