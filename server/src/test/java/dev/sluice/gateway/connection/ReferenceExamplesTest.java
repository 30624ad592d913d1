package dev.sluice.gateway.connection;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.json.Json;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

class ReferenceExamplesTest {

    private static final Pattern JSON = Pattern.compile("```json\n(.*?)```", Pattern.DOTALL);

    @ParameterizedTest
    @ValueSource(strings = {"filters.md", "transformations.md"})
    void every_example_is_let_in(String page) throws IOException {
        String text = Files.readString(Path.of("../docs/reference", page));
        var examples = JSON.matcher(text).results().map(match -> match.group(1)).toList();

        assertThat(examples).isNotEmpty();
        for (String example : examples) {
            var form = Json.form(example.getBytes(UTF_8));
            var _ = FilterForm.read(form);
            var _ = TransformationForm.read(form);
            form.check();
        }
    }
}
