package dev.sluice;

import dev.sluice.account.access.InitialSetup;
import dev.sluice.platform.secret.PrivateFile;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;

/// The file that holds the owner's password and the first API key, written on a server's first
/// start.
///
/// Only the file's owner can read it. If standard output is a terminal, `show` also prints the
/// credentials; otherwise, it prints the file's path.
record InitialCredentialsFile(Path file, String baseUrl) {

    void write(InitialSetup.InitialCredentials credentials) {
        try {
            PrivateFile.write(file, text(credentials));
        } catch (IOException e) {
            throw new StartupException("Cannot write " + file + ": " + e.getMessage());
        }
    }

    @SuppressWarnings("SystemOut") // printed for a person to read, not logged
    void show(InitialSetup.InitialCredentials credentials) {
        Console console = System.console();
        boolean isTerminal = console != null && console.isTerminal();
        System.out.println(
                isTerminal
                        ? text(credentials)
                        : "First start: the sign-in and the API key are in " + file);
    }

    private String text(InitialSetup.InitialCredentials credentials) {
        return """
        Sluice is ready at %s

          Sign-in   %s
          Password  %s
          API key   %s

        Create a source:

          curl -s %s/api/v1/sources \\
            -H 'Authorization: Bearer %s' \\
            -H 'Content-Type: application/json' -d '{"name": "First source"}'

        This is shown once and stored only in first-start.txt; delete that file after saving it.
        """
                .formatted(
                        baseUrl,
                        credentials.email(),
                        credentials.password().reveal(),
                        credentials.apiKey().reveal(),
                        baseUrl,
                        credentials.apiKey().reveal());
    }
}
