package dev.sluice.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Tests what reaches a terminal.
class SafeTextTest {

    @Test
    void json_keeps_its_meaning_and_has_no_character_that_a_terminal_obeys() {
        String hostile = "a\u009b2J\u202eb\u007f\u2066é😀";
        String json = "{\n\t\"name\": \"" + hostile + "\"\r\n}";

        String safe = SafeText.json(json);

        assertThat(safe).isEqualTo("{\n\t\"name\": \"a\\u009b2J\\u202eb\\u007f\\u2066é😀\"\r\n}");
        assertThat(JsonTree.read(safe)).isEqualTo(JsonTree.read(json));
        assertThat(JsonTree.write(JsonTree.read(json))).doesNotContain("\u009b", "\u202e");
    }

    @Test
    void escape_in_what_is_no_json_is_shown_and_not_obeyed() {
        assertThat(SafeText.json("\u001b]0;title\u0007")).isEqualTo("\\u001b]0;title\\u0007");
    }
}
