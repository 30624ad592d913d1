package dev.sluice;

import dev.sluice.account.access.FirstStart;
import dev.sluice.platform.secret.PrivateFile;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;

/// How the owner learns of what the first start made: a file that only they can read, and the
/// terminal if there is one.
record FirstStartNote(Path file, String baseUrl) {

    void write(FirstStart.Made made) {
        try {
            PrivateFile.write(file, text(made));
        } catch (IOException e) {
            throw new StartRefused("Cannot write " + file + ": " + e.getMessage());
        }
    }

    @SuppressWarnings("SystemOut") // it speaks to a person, not to the log
    void show(FirstStart.Made made) {
        Console console = System.console();
        boolean isTerminal = console != null && console.isTerminal();
        System.out.println(
                isTerminal ? text(made) : "First start: sign-in and API key are in " + file);
    }

    private String text(FirstStart.Made made) {
        return """
        Sluice is ready at %s

          Sign-in   %s
          Password  %s
          API key   %s

        Create a source:

          curl -s %s/api/v1/sources \\
            -H 'Authorization: Bearer %s' \\
            -H 'Content-Type: application/json' -d '{"name": "First source"}'

        This is shown once and kept only in first-start.txt; delete that file when you have noted it.
        """
                .formatted(
                        baseUrl,
                        made.email(),
                        made.password().reveal(),
                        made.apiKey().reveal(),
                        baseUrl,
                        made.apiKey().reveal());
    }
}
