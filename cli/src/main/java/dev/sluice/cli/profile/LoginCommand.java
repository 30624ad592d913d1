package dev.sluice.cli.profile;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.server.ServerAddress;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.SafeText;
import dev.sluice.cli.shell.TextTable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Optional;

/// The `sluice login` command, which checks an API key and stores it in a profile.
@Command(
        name = "login",
        description = {
            "Store a server and its API key in a profile.",
            "It asks for the key unless SLUICE_API_KEY has it."
        })
public final class LoginCommand implements Runnable {

    private final CommandContext context;

    @Option(names = "--api-key-stdin", description = "Read the API key from standard input.")
    private boolean isKeyOnInput;

    @Option(names = "--list", description = "List the profiles instead.")
    private boolean isList;

    public LoginCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        var file = ProfileFile.of(context.shell());
        if (isList) {
            list(file);
            return;
        }
        String name = ServerAccess.profileName(context, file).value();
        var server = server(file, name);
        var profile = new Profile(server, ServerAccess.checkedKey(readKey(server).strip()));
        try (var client =
                new ServerClient(server, Optional.of(profile.apiKey()), context.shell()::note)) {
            var me = client.get("me");
            warnOfPlainHttp(server);
            file.put(name, profile);
            context.print(
                    me.body(),
                    () ->
                            context.shell()
                                    .out()
                                    .println(
                                            SafeText.line(
                                                    "Signed in to %s, workspace %s, as profile '%s'."
                                                            .formatted(
                                                                    server,
                                                                    me.json()
                                                                            .path("workspace")
                                                                            .path("name")
                                                                            .asString(""),
                                                                    name))));
        }
    }

    private ServerAddress server(ProfileFile file, String name) {
        return context.server()
                .or(() -> context.shell().variable("SLUICE_SERVER"))
                .map(ServerAddress::parse)
                .or(() -> file.find(name).map(Profile::server))
                .orElse(ServerAddress.LOCAL);
    }

    private String readKey(ServerAddress server) {
        var shell = context.shell();
        if (isKeyOnInput) {
            String key = new String(shell.readInput(), UTF_8);
            if (key.isBlank()) {
                throw new CommandException(
                        ExitCode.DENIED,
                        "not_signed_in",
                        "Standard input has no API key.",
                        "Such as: sluice login --api-key-stdin < key-file");
            }
            return key;
        }
        var variable = shell.variable("SLUICE_API_KEY");
        if (variable.isPresent()) {
            return variable.get();
        }
        var console = System.console();
        if (!shell.isTerminal() || console == null) {
            throw new CommandException(
                    ExitCode.DENIED,
                    "not_signed_in",
                    "There is no terminal to ask for an API key.",
                    "Give it with `sluice login --api-key-stdin < key-file`, or set"
                            + " SLUICE_API_KEY.");
        }
        char[] typed = console.readPassword("API key for %s (not shown): ", server);
        return typed == null ? "" : new String(typed);
    }

    private void warnOfPlainHttp(ServerAddress server) {
        if (!server.isEncrypted() && !server.isLoopback()) {
            context.shell()
                    .note(
                            "Warning: "
                                    + server
                                    + " is not encrypted; others on the network can read the key.");
        }
    }

    private void list(ProfileFile file) {
        var table = new TextTable(List.of("profile", "server", "key", "current"));
        for (String name : file.names()) {
            var profile = file.find(name).orElseThrow();
            table.add(
                    List.of(
                            name,
                            profile.server().toString(),
                            ApiKeys.prefix(profile.apiKey()),
                            name.equals(file.currentName()) ? "yes" : ""));
        }
        table.print(context.shell().out());
    }
}
