package dev.sluice.cli.profile;

import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.SafeText;

import picocli.CommandLine.Command;

/// The `sluice whoami` command, which shows the server, the workspace and the key in use.
@Command(
        name = "whoami",
        description =
                "Show the server, the workspace and the key in use, and where they come from.")
public final class WhoamiCommand implements Runnable {

    private final CommandContext context;

    public WhoamiCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        var access = ServerAccess.resolve(context);
        try (var client = access.client()) {
            var me = client.get("me");
            context.print(
                    me.body(),
                    () -> {
                        var out = context.shell().out();
                        var workspace = me.json().path("workspace");
                        out.println(
                                "server     "
                                        + access.server().value()
                                        + "  ("
                                        + access.server().origin()
                                        + ")");
                        out.println(
                                SafeText.line(
                                        "workspace  %s  (%s, plan %s)"
                                                .formatted(
                                                        workspace.path("name").asString(""),
                                                        workspace.path("id").asString(""),
                                                        workspace.path("plan").asString(""))));
                        access.apiKey()
                                .ifPresent(key ->
                                        out.println(
                                                "key        "
                                                        + ApiKeys.prefix(key.value())
                                                        + "  ("
                                                        + key.origin()
                                                        + ")"));
                    });
        }
    }
}
