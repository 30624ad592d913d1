package dev.sluice.cli.deadletters;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandGroup;
import dev.sluice.cli.shell.JsonTree;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import tools.jackson.databind.JsonNode;

import java.time.InstantSource;

/// The `sluice dlq dismiss` and `sluice dlq undismiss` commands, which mark dead letters as
/// resolved or remove that mark. For each request, the server handles only as many dead letters as
/// it has time for, so the command repeats the request until all of them have been handled. Each
/// request continues where the previous one stopped (`next_cursor`).
@Command
final class DismissalCommand implements Runnable {

    private final CommandContext context;
    private final InstantSource clock;
    private final String verb;
    private final String count;

    @Mixin private final ChangeOptions selection = new ChangeOptions();

    /// @param verb the operation: `dismiss` or `undismiss`
    /// @param count the response field that contains the number of changed dead letters. Its name
    ///   is also the verb in messages such as `12 dismissed`
    private DismissalCommand(
            CommandContext context, InstantSource clock, String verb, String count) {
        this.context = context;
        this.clock = clock;
        this.verb = verb;
        this.count = count;
    }

    static CommandLine dismiss(CommandContext context, InstantSource clock) {
        return CommandGroup.described(
                new DismissalCommand(context, clock, "dismiss", "dismissed"),
                "Mark the unresolved dead letters that match as resolved, without a resend.");
    }

    static CommandLine undismiss(CommandContext context, InstantSource clock) {
        return CommandGroup.described(
                new DismissalCommand(context, clock, "undismiss", "undismissed"),
                "List the dismissed dead letters that match as unresolved again.");
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            var body = selection.body(new NameLookup(client), clock, verb, false);
            long done = 0;
            for (var answer = send(client, body); ; answer = send(client, body)) {
                done += answer.path(count).asLong();
                String cursor = answer.path("next_cursor").asString("");
                if (cursor.isEmpty()) {
                    break;
                }
                context.shell().note(done + " " + count);
                body.put("cursor", cursor);
            }
            print(done);
        }
    }

    private JsonNode send(ServerClient client, JsonNode body) {
        return client.send("POST", "dlq/" + verb, body).json();
    }

    private void print(long done) {
        var sum = JsonTree.object().put(count, done).put("is_complete", true);
        context.print(
                JsonTree.bytes(sum),
                () ->
                        new ResultPrinter(context)
                                .sentence("%d dead letters %s.".formatted(done, count)));
    }
}
