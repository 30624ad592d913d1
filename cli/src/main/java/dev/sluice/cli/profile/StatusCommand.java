package dev.sluice.cli.profile;

import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.SafeText;

import picocli.CommandLine.Command;

/// The `sluice status` command, which shows whether the server is working. It needs no API key.
@Command(name = "status", description = "Show the server's status; exits 1 when it is down.")
public final class StatusCommand implements Runnable {

    private final CommandContext context;

    public StatusCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        var access = ServerAccess.resolve(context);
        try (var client = access.publicClient()) {
            var answer = client.get("status");
            context.print(
                    answer.body(),
                    () -> {
                        var status = answer.json();
                        var out = context.shell().out();
                        out.println(
                                SafeText.line(
                                        "%s is %s, version %s"
                                                .formatted(
                                                        access.server().value(),
                                                        status.path("status").asString("unknown"),
                                                        status.path("version")
                                                                .asString("unknown"))));
                        for (var component : status.path("components").properties()) {
                            out.println(
                                    SafeText.line(
                                            "  %-9s %s"
                                                    .formatted(
                                                            component.getKey(),
                                                            component.getValue().asString(""))));
                        }
                    });
        }
    }
}
