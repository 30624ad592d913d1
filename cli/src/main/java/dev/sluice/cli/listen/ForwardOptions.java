package dev.sluice.cli.listen;

import dev.sluice.cli.events.StoredEvent.StoredHeader;
import dev.sluice.cli.forward.LocalForwarder;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.Shell;
import dev.sluice.cli.shell.TimeArgument;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The options of every command that sends events to a local address.
final class ForwardOptions {

    private static final Pattern HEADER =
            Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\\x80-\\xff]*)");

    @Option(
            names = {"-f", "--forward-to"},
            paramLabel = "TARGET",
            description =
                    "3000, localhost:3000/hook, or a URL; SLUICE_FORWARD_TO says it otherwise.")
    private @Nullable String forwardTo;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "NAME: VALUE",
            description = "Add a header to what is forwarded; repeatable.")
    private List<String> headers = List.of();

    @Option(
            names = "--remove-header",
            paramLabel = "NAME",
            description = "Leave out a header; repeatable.")
    private List<String> removedHeaders = List.of();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description = "How long the local service may take, such as 10s; by default 30s.")
    private String timeout = "30s";

    @Option(
            names = "--fail-on-error",
            description = "Exit 8 if the local service failed for an event.")
    private boolean isFailOnError;

    Optional<String> forwardTo(Shell shell) {
        return Optional.ofNullable(forwardTo).or(() -> shell.variable("SLUICE_FORWARD_TO"));
    }

    boolean isFailOnError() {
        return isFailOnError;
    }

    LocalForwarder forwarder() {
        var limit = TimeArgument.parseDuration(timeout);
        if (limit.isZero()) {
            throw CommandException.usage("--timeout must be more than nothing.", "");
        }
        return new LocalForwarder(
                limit,
                headers.stream().map(ForwardOptions::header).toList(),
                removedHeaders.stream()
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .collect(Collectors.toSet()));
    }

    private static StoredHeader header(String text) {
        var header = HEADER.matcher(text);
        if (!header.matches()) {
            throw CommandException.usage(
                    "'" + text + "' is no header.", "Such as -H 'X-Env: dev'.");
        }
        return new StoredHeader(header.group(1), header.group(2));
    }
}
