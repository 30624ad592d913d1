package dev.sluice.cli.listen;

import dev.sluice.cli.api.FileArgument;
import dev.sluice.cli.events.StoredEvent.StoredHeader;
import dev.sluice.cli.forward.EventForwarding;
import dev.sluice.cli.forward.EventRecorder;
import dev.sluice.cli.forward.ForwardRules;
import dev.sluice.cli.forward.ForwardTarget;
import dev.sluice.cli.forward.LocalForwarder;
import dev.sluice.cli.forward.TargetTls;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.Shell;
import dev.sluice.cli.shell.TimeArgument;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The options shared by all commands that send events to a local address.
final class ForwardOptions {

    private static final Pattern HEADER =
            Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\\x80-\\xff]*)");

    private static final Pattern METHOD = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}");

    private static final int MAX_RETRIES = 100;

    @Option(
            names = {"-f", "--forward-to"},
            paramLabel = "TARGET",
            description = "3000, localhost:3000/hook, or a URL; by default SLUICE_FORWARD_TO.")
    private @Nullable String forwardTo;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "NAME: VALUE",
            description = "Add a header to forwarded requests; repeatable.")
    private List<String> headers = List.of();

    @Option(
            names = "--remove-header",
            paramLabel = "NAME",
            description = "Leave out a header; repeatable.")
    private List<String> removedHeaders = List.of();

    @Option(
            names = "--method",
            paramLabel = "METHOD",
            description = "Send this method instead of the event's.")
    private @Nullable String method;

    @Option(
            names = "--preserve-host",
            description = "Send the Host of the event instead of the target's.")
    private boolean isHostKept;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description = "How long the local service may take, such as 10s; by default 30s.")
    private String timeout = "30s";

    @Option(
            names = "--retry",
            paramLabel = "N",
            description =
                    "Try again up to N times if the answer is not 2xx, after 1 s, 2 s, 4 s and so"
                            + " on")
    private int retries;

    @Option(
            names = "--insecure",
            description = "Accept any certificate of a target on this machine.")
    private boolean isInsecure;

    @Option(
            names = "--ca-file",
            paramLabel = "FILE",
            description = "Accept the target's certificate if one in this file (PEM) signed it.")
    private @Nullable String caFile;

    @Option(
            names = "--record",
            paramLabel = "DIR",
            description = "Keep each event in this folder: its body, and a script that sends it.")
    private @Nullable String recordFolder;

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

    /// @throws CommandException if an option is invalid
    ForwardRules rules(Shell shell) {
        return new ForwardRules(
                ForwardRules.DEFAULT_PREFIX,
                method(),
                isHostKept,
                headers.stream().map(ForwardOptions::header).toList(),
                removedHeaders.stream()
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .collect(Collectors.toSet()),
                timeout(),
                retries(),
                tls(shell));
    }

    EventForwarding forwarding(ForwardRules rules) {
        return new EventForwarding(
                new LocalForwarder(rules),
                Optional.ofNullable(recordFolder)
                        .map(folder -> new EventRecorder(Path.of(folder), rules)));
    }

    /// @throws CommandException if `--insecure` is given although a target is not on this machine
    void check(Collection<ForwardTarget> targets) {
        for (var target : targets) {
            if (isInsecure && !target.isLoopback()) {
                throw CommandException.usage(
                        "--insecure is only for this machine, and not for " + target + ".",
                        "Give the certificate of its authority with --ca-file.");
            }
        }
    }

    private Optional<String> method() {
        if (method != null && !METHOD.matcher(method).matches()) {
            throw CommandException.usage("'" + method + "' is not a method.", "Such as PUT.");
        }
        return Optional.ofNullable(method);
    }

    private Duration timeout() {
        var limit = TimeArgument.parseDuration(timeout);
        if (limit.isZero()) {
            throw CommandException.usage("--timeout must be more than zero.", "");
        }
        return limit;
    }

    private int retries() {
        if (retries < 0 || retries > MAX_RETRIES) {
            throw CommandException.usage("--retry must be from 0 to " + MAX_RETRIES + ".", "");
        }
        return retries;
    }

    private TargetTls tls(Shell shell) {
        if (isInsecure && caFile != null) {
            throw CommandException.usage("--insecure and --ca-file exclude each other.", "");
        }
        if (isInsecure) {
            return TargetTls.unverified();
        }
        return Optional.ofNullable(caFile)
                .map(file -> TargetTls.trusting(FileArgument.read(file, shell)))
                .orElseGet(TargetTls::verified);
    }

    private static StoredHeader header(String text) {
        var header = HEADER.matcher(text);
        if (!header.matches()) {
            throw CommandException.usage(
                    "'" + text + "' is not a header.", "Write it like -H 'X-Env: dev'.");
        }
        return StoredHeader.ofText(header.group(1), header.group(2));
    }
}
