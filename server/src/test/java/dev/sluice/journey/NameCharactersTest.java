package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Person;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Tests which characters the names have that a person chooses.
class NameCharactersTest {

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();
    private static Person person;
    private static String workspace;
    private static String source;
    private static String destination;

    @BeforeAll
    static void create() {
        person = Person.register(api, "ann@example.com");
        workspace =
                "/api/v1/workspaces/"
                        + person.get("/api/v1/me").json().path("workspace").path("id").asString();
        source = "/api/v1/sources/" + api.source("s").text("id");
        destination =
                "/api/v1/destinations/" + api.destination("https://a.example/", "").text("id");
    }

    /// Every character that names must not have.
    private static IntStream refused() {
        return Stream.of(
                        IntStream.rangeClosed(0x00, 0x1f),
                        IntStream.rangeClosed(0x7f, 0x9f),
                        IntStream.of(0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0xfeff),
                        IntStream.rangeClosed(0x202a, 0x202e),
                        IntStream.rangeClosed(0x2066, 0x2069),
                        IntStream.rangeClosed(0xe0000, 0xe007f),
                        IntStream.of(0xd800, 0xdbff, 0xdc00, 0xdfff))
                .flatMapToInt(range -> range);
    }

    private static String escaped(int c) {
        var json = new StringBuilder();
        for (char unit : c > 0xffff ? Character.toChars(c) : new char[] {(char) c}) {
            json.append("\\u%04x".formatted((int) unit));
        }
        return json.toString();
    }

    private static String message(String field, int c) {
        return field + " must not contain the character U+%04X.".formatted(c);
    }

    @Test
    void each_refused_character_is_named() {
        refused()
                .forEach(c -> {
                    var refused = api.patch(source, "{'name': 'a" + escaped(c) + "b'}");

                    assertThat(refused.status()).isEqualTo(422);
                    assertThat(refused.errorMessage()).isEqualTo(message("name", c));
                });
    }

    @Test
    void every_field_with_a_name_refuses_them() {
        for (int c : new int[] {'\n', 0x1b, 0x85, 0x202e, 0x2028, 0xe0041, 0xd800}) {
            String name = "'name': 'a" + escaped(c) + "b'";
            var answers = new ArrayList<ApiResponse>();
            answers.add(api.post("/api/v1/sources", "{" + name + "}"));
            answers.add(api.patch(source, "{" + name + "}"));
            answers.add(
                    api.post("/api/v1/destinations", "{" + name + ",'url':'https://a.example'}"));
            answers.add(api.patch(destination, "{" + name + "}"));
            answers.add(person.post("/api/v1/api-keys", "{" + name + "}"));
            answers.add(person.post("/api/v1/workspaces", "{" + name + "}"));
            answers.add(person.patch(workspace, "{" + name + "}"));
            answers.add(register("'workspace_name':'w'," + name));

            assertThat(answers)
                    .allSatisfy(answer -> {
                        assertThat(answer.status()).isEqualTo(422);
                        assertThat(answer.errorMessage()).isEqualTo(message("name", c));
                    });
            assertThat(register("'name':'n','workspace_name':'a" + escaped(c) + "'").errorMessage())
                    .isEqualTo(message("workspace_name", c));
        }
    }

    private static ApiResponse register(String fields) {
        return api.post(
                "/api/v1/auth/register",
                "{'email':'x@example.com','password':'correct horse battery'," + fields + "}");
    }

    @Test
    void a_description_may_have_lines_and_tabs_and_nothing_else_of_these() {
        refused()
                .forEach(c -> {
                    var answer = api.patch(source, "{'description': 'a" + escaped(c) + "b'}");

                    if (c == '\n' || c == '\t') {
                        assertThat(answer.status()).isEqualTo(200);
                    } else {
                        assertThat(answer.errorMessage()).isEqualTo(message("description", c));
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Bestellungen für Müller & Söhne",
                "orders \uD83D\uDC69\u200D\uD83D\uDE80", // joined by U+200D
                "\u2764\uFE0F", // with a variation selector
                "\u0646\u0627\u0645\u0647\u200C\u0627\u06CC", // Persian, with U+200C
                "\u0915\u094D\u200D\u0937", // Devanagari, with U+200D
                "\uD83C\uDDE9\uD83C\uDDEA", // the flag of a country
                "\u05D4\u05D6\u05DE\u05E0\u05D5\u05EA", // right to left by itself
                "a\u00A0b",
            })
    void names_of_all_languages_are_kept_as_they_are(String name) {
        var patched = api.patch(source, "{'name': '" + name + "'}");

        assertThat(patched.status()).isEqualTo(200);
        assertThat(api.get(source).text("name")).isEqualTo(name);
    }

    /// It was saved by an older version.
    @Test
    void an_older_name_stays_until_it_is_changed() {
        var old = api.source("old");
        String path = "/api/v1/sources/" + old.text("id");
        StoredSettings.update(sluice, "source", "name", old, "a\u202eb");

        assertThat(api.patch(path, "{'color': '#a1b2c3'}").text("name")).isEqualTo("a\u202eb");
        assertThat(api.patch(path, "{'name': 'a\u202eb'}").status()).isEqualTo(422);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x85, 0x9b, 0x200e, 0x202e, 0x2028, 0xfeff, 0xe0041, 0xd800, 0x3000})
    void an_address_has_no_invisible_character(int c) {
        String email = "a" + escaped(c) + "@example.com";

        for (var answer :
                List.of(
                        person.post(
                                workspace + "/invites",
                                "{'email':'" + email + "','role':'member'}"),
                        api.post(
                                "/api/v1/alert-configs",
                                "{'channel':'email','config':{'to':'" + email + "'}}"))) {
            assertThat(answer.status()).as(answer.body()).isEqualTo(422);
        }
    }
}
