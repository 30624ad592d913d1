package dev.sluice.cli.profile;

import dev.sluice.cli.server.ServerAnswer;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.OutputFormat;
import dev.sluice.cli.shell.SafeText;

import picocli.CommandLine.Command;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/// The `sluice doctor` command, which checks the settings, the server and the API key step by step,
/// and says how to fix each problem.
@Command(
        name = "doctor",
        description = "Check settings, server and key; say what is wrong and how to fix it.")
public final class DoctorCommand implements Callable<Integer> {

    private static final Duration MAX_CLOCK_DIFFERENCE = Duration.ofSeconds(30);

    /// The result of one check.
    ///
    /// @param fix how to fix the problem; empty if there is no problem or no known fix
    /// @param exitCode 0 if the finding does not prevent commands from working, otherwise the exit
    ///   code of the error
    private record Finding(String subject, String text, String fix, int exitCode) {

        static Finding good(String subject, String text) {
            return new Finding(subject, text, "", ExitCode.OK);
        }

        /// Creates a warning about a problem that does not prevent commands from working.
        static Finding doubtful(String subject, String text, String fix) {
            return new Finding(subject, text, fix, ExitCode.OK);
        }

        static Finding bad(String subject, CommandException failure) {
            return new Finding(subject, failure.problem(), failure.hint(), failure.exitCode());
        }

        String verdict() {
            if (exitCode != ExitCode.OK) {
                return "WRONG";
            }
            return fix.isEmpty() ? "ok" : "check";
        }
    }

    private final CommandContext context;
    private final InstantSource clock;
    private final List<Finding> findings = new ArrayList<>();

    public DoctorCommand(CommandContext context, InstantSource clock) {
        this.context = context;
        this.clock = clock;
    }

    @Override
    public Integer call() {
        try {
            var access = ServerAccess.resolve(context);
            findings.add(Finding.good("settings", access.description()));
            checkProfiles();
            checkServer(access);
        } catch (CommandException e) {
            findings.add(Finding.bad("settings", e));
        }
        print();
        return findings.stream()
                .mapToInt(Finding::exitCode)
                .filter(code -> code != 0)
                .findFirst()
                .orElse(ExitCode.OK);
    }

    private void checkProfiles() {
        var file = ProfileFile.of(context.shell());
        findings.add(
                file.isOpenToOthers()
                        ? Finding.doubtful(
                                "profiles",
                                "Others can read " + file.path() + ".",
                                "chmod 600 " + file.path())
                        : Finding.good("profiles", file.path().toString()));
    }

    private void checkServer(ServerAccess access) {
        var server = access.server().value();
        if (!server.isEncrypted() && !server.isLoopback()) {
            findings.add(
                    Finding.doubtful(
                            "encryption",
                            "The key is sent unencrypted; others on the network can read it.",
                            "Use https, with a proxy in front of the server."));
        }
        try (var client = access.publicClient()) {
            checkStatus(client.get("status"));
        } catch (CommandException e) {
            findings.add(Finding.bad("server", e));
            return;
        }
        try (var client = access.client()) {
            checkKey(client);
        } catch (CommandException e) {
            findings.add(Finding.bad("key", e));
        }
    }

    private void checkStatus(ServerAnswer answer) {
        var status = answer.json();
        String word = status.path("status").asString("");
        String text =
                "status %s, version %s".formatted(word, status.path("version").asString("unknown"));
        if (word.isEmpty()) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "not_sluice",
                    "The server at this address is not a Sluice server.",
                    "Give the right address with --server, or in `sluice login --server URL`.");
        }
        findings.add(
                word.equals("ok")
                        ? Finding.good("server", text)
                        : Finding.doubtful("server", text, "Read the server's log."));
        checkClock(status.path("time").asString(""));
    }

    private void checkClock(String serverTime) {
        try {
            var difference = Duration.between(Instant.parse(serverTime), clock.instant());
            findings.add(
                    difference.abs().compareTo(MAX_CLOCK_DIFFERENCE) > 0
                            ? Finding.doubtful(
                                    "clock",
                                    "This machine's clock differs from the server's by %d s."
                                            .formatted(difference.toSeconds()),
                                    "Set the clock; `--since` depends on it.")
                            : Finding.good("clock", "agrees with the server's"));
        } catch (DateTimeException e) {
            findings.add(
                    Finding.doubtful(
                            "clock", "The server reports no time.", "Read the server's log."));
        }
    }

    private void checkKey(ServerClient client) {
        var workspace = client.get("me").json().path("workspace");
        findings.add(
                Finding.good(
                        "key",
                        "valid for the workspace %s, plan %s"
                                .formatted(
                                        workspace.path("name").asString(""),
                                        workspace.path("plan").asString(""))));
    }

    private void print() {
        var out = context.shell().out();
        if (context.output() == OutputFormat.JSON) {
            var all = JsonTree.object();
            var list = all.putArray("checks");
            for (var finding : findings) {
                list.add(
                        JsonTree.object()
                                .put("check", finding.subject())
                                .put("verdict", finding.verdict())
                                .put("message", finding.text())
                                .put("fix", finding.fix()));
            }
            out.println(JsonTree.write(all));
            return;
        }
        for (var finding : findings) {
            out.println(
                    SafeText.line(
                                    "%-6s %-11s %s %s"
                                            .formatted(
                                                    finding.verdict(),
                                                    finding.subject(),
                                                    finding.text(),
                                                    finding.fix()))
                            .stripTrailing());
        }
    }
}
