package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;

/// Tests the line with which a command says why it could not run.
class CommandFailureTest {

    @Test
    void a_missing_permission_names_the_file_and_the_fix() {
        assertThat(CommandFailure.reason(new AccessDeniedException("/backup/a")))
                .isEqualTo(
                        "this user may not read or write /backup/a. Run the command as another"
                                + " user, or choose another file.");
    }

    @Test
    void a_full_disk_is_said_however_it_was_thrown() {
        var full = new IOException("/backup/a: No space left on device");

        assertThat(CommandFailure.reason(new UncheckedIOException("wrapped", full)))
                .isEqualTo(
                        "the disk is full (/backup/a: No space left on device). Free some space, or"
                                + " choose another disk.");
    }

    @Test
    void a_message_of_several_lines_becomes_one() {
        assertThat(CommandFailure.reason(new IllegalStateException("a\n  Hint: b\r\nc\n")))
                .isEqualTo("a Hint: b c");
    }
}
