package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.ErrorCode;
import dev.sluice.platform.http.ApiErrorCode;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

class ErrorReferenceTest {

    private static final Path ERROR_REFERENCE = Path.of("../docs/reference/errors.md");

    /// Matches a row such as "| 404 | `not_found` |".
    private static final Pattern API_ROW =
            Pattern.compile("^\\| (\\d{3} \\| `[a-z_]+`)", Pattern.MULTILINE);

    /// Matches a row such as "| `dns_failure` |".
    private static final Pattern ATTEMPT_ROW =
            Pattern.compile("^\\| `([a-z_]+)`", Pattern.MULTILINE);

    @Test
    void every_code_of_the_api_stands_there_with_its_status() throws IOException {
        var codes =
                Arrays.stream(ApiErrorCode.values())
                        .map(error -> error.status() + " | `" + error.code() + "`")
                        .toList();

        assertThat(found(API_ROW)).containsExactlyInAnyOrderElementsOf(codes);
    }

    @Test
    void every_code_of_an_attempt_stands_there() throws IOException {
        var codes = Arrays.stream(ErrorCode.values()).map(ErrorCode::text).toList();

        assertThat(found(ATTEMPT_ROW)).containsExactlyInAnyOrderElementsOf(codes);
    }

    private static List<String> found(Pattern row) throws IOException {
        return row.matcher(Files.readString(ERROR_REFERENCE))
                .results()
                .map(match -> match.group(1))
                .toList();
    }
}
