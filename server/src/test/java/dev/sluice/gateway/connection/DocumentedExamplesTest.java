package dev.sluice.gateway.connection;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.filter.FilterParser;
import dev.sluice.platform.json.Json;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

class DocumentedExamplesTest {

    private static final Pattern JSON_BLOCK = Pattern.compile("```json\n(.*?)```", Pattern.DOTALL);

    @ParameterizedTest
    @ValueSource(strings = {"filters.md", "transformations.md"})
    void every_example_is_let_in(String page) throws IOException {
        String text = Files.readString(Path.of("../docs/reference", page));
        var examples = JSON_BLOCK.matcher(text).results().map(match -> match.group(1)).toList();

        assertThat(examples).isNotEmpty();
        for (String example : examples) {
            var input = Json.fieldReader(example.getBytes(UTF_8));
            var _ = FilterParser.read(input);
            var _ = TransformationParser.read(input, CustomHeaderRules.withPrefix("X-Service"));
            input.check();
        }
    }
}
