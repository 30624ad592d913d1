package dev.sluice.cli.resource;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.ResourceType;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// The `sluice alerts test` command, which sends a test message through an alert channel and fails
/// if the message could not be sent.
@Command(
        name = "test",
        description = {
            "Send a test message over an alert channel, even a disabled one.",
            "Exits 1 when it cannot be sent."
        })
final class AlertTestCommand implements Runnable {

    private final CommandContext context;

    @Parameters(paramLabel = "ID", description = "The id.")
    private @SuppressWarnings("NullAway.Init") String id;

    AlertTestCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            String found = new NameLookup(client).id(ResourceType.ALERT, id);
            var answer =
                    client.send(
                            "POST",
                            ServerClient.API + ResourceType.ALERT.path() + "/" + found + "/test",
                            new byte[0]);
            boolean isSent = answer.json().path("sent").asBoolean(false);
            if (isSent) {
                new ResultPrinter(context).sentence(answer, "Sent a test message.");
            } else {
                context.print(answer.body(), () -> {});
                throw new CommandException(
                        ExitCode.FAILED,
                        "alert_not_sent",
                        "The test message was not sent: "
                                + answer.json().path("error").asString("no reason was given."),
                        "`sluice alerts update " + found + " config...` changes the channel.");
            }
        }
    }
}
