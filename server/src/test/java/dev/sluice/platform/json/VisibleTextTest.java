package dev.sluice.platform.json;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VisibleTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                " \t\n",
                "\u00a0",
                "\u2003\u3000",
                "\u200b",
                "\ufeff",
                "\u00ad",
                "\u2060",
                "\u202e\u200f",
                "\u180e",
                "\u115f\u1160",
                "\u3164",
                "\uffa0",
                "\u2800",
                "\u034f",
                "\ufe0f",
                "\u0301",
                "\u20dd",
                "\ud834\udd59",
                "\udb40\udc41",
                "\u2028\u2029",
                "\u0085",
            })
    void what_shows_nothing(String text) {
        assertThat(VisibleText.isVisible(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                " a ",
                "\u200b.",
                "0",
                "\u00e9",
                "e\u0301",
                "\u5e97",
                "\ud83d\ude80",
                "_",
                "\u05d0\u200f",
                "\ue000",
            })
    void what_shows_something(String text) {
        assertThat(VisibleText.isVisible(text)).isTrue();
    }
}
