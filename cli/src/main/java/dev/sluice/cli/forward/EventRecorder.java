package dev.sluice.cli.forward;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/// Records events in a folder. Each event gets two files: its body, and a shell script that sends
/// the event with `curl`. Only the user who runs the command can read the files.
public final class EventRecorder {

    private static final List<String> ADDED_BY_CURL =
            List.of("Accept", "Content-Type", "Expect", "User-Agent");

    private static final String CONTINUED = " \\\n  ";

    private final Path folder;
    private final ForwardRules rules;

    public EventRecorder(Path folder, ForwardRules rules) {
        this.folder = folder;
        this.rules = rules;
    }

    /// Records an event, replacing any earlier record of it.
    ///
    /// @param target the address that the script sends to, unless the script is run with another
    ///   address as its argument
    public void record(StoredEvent event, ForwardTarget target) {
        try {
            Files.createDirectories(folder);
            String name = event.id().replaceAll("[^0-9A-Za-z-]", "");
            write(name + ".body", event.body(), "rw-------");
            write(name + ".sh", script(event, name, target).getBytes(ISO_8859_1), "rwx------");
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "record_failed",
                    "The event cannot be kept in " + folder + ": " + e.getMessage() + ".",
                    "Give another folder with --record.");
        }
    }

    private void write(String name, byte[] content, String permissions) throws IOException {
        var file = folder.resolve(name);
        Files.deleteIfExists(file);
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
        Files.write(file, content);
    }

    /// Returns the script as a string with one character for each byte.
    private String script(StoredEvent event, String name, ForwardTarget target) {
        var headers = RequestHead.headers(event, rules);
        var curl = new StringBuilder("exec curl -sS -i -X ");
        curl.append(quote(rules.method().orElse(event.method())));
        for (String added : ADDED_BY_CURL) {
            if (headers.stream().noneMatch(header -> header.name().equalsIgnoreCase(added))) {
                curl.append(CONTINUED).append("-H ").append(quote(added + ":"));
            }
        }
        for (var header : headers) {
            // To send a header with an empty value, `curl` needs a semicolon instead of a colon.
            String value = header.rawValue().isEmpty() ? ";" : ": " + header.rawValue();
            curl.append(CONTINUED).append("-H ").append(quote(header.name() + value));
        }
        curl.append(CONTINUED).append("--data-binary @\"$(dirname \"$0\")/" + name + ".body\"");
        return """
        #!/bin/sh
        # Sends the event to $1, or to where it went.
        target=${1:-%s}
        %s "$target"
        """
                .formatted(quote(target.uri().toASCIIString()), curl);
    }

    /// Returns the text quoted as one shell word.
    private static String quote(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
