package dev.sluice.cli.deadletters;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.JsonTree;

import tools.jackson.databind.JsonNode;

import java.util.function.Function;

/// Dismisses dead letters, or takes that back. The server does as much as it can in the time of one
/// request, so the request is repeated until all are done. Each request begins with the oldest dead
/// letter, so one that changes nothing and is not complete would not get further when repeated.
final class DismissalRequest {

    private final CommandContext context;
    private final String verb;
    private final String count;

    /// @param verb the operation: `dismiss` or `undismiss`
    /// @param count the field of the answer with the number of dead letters
    DismissalRequest(CommandContext context, String verb, String count) {
        this.context = context;
        this.verb = verb;
        this.count = count;
    }

    /// @param filter makes the body of the request
    void send(Function<NameLookup, JsonNode> filter) {
        try (var client = ServerAccess.resolve(context).client()) {
            var body = filter.apply(new NameLookup(client));
            long done = 0;
            while (true) {
                var answer = client.send("POST", "dlq/" + verb, body).json();
                long changed = answer.path(count).asLong();
                done += changed;
                if (answer.path("is_complete").asBoolean(true)) {
                    break;
                }
                if (changed == 0) {
                    throw notComplete(done);
                }
                context.shell().note(done + " " + count);
            }
            print(done);
        }
    }

    private CommandException notComplete(long done) {
        return new CommandException(
                ExitCode.FAILED,
                "incomplete",
                "%d dead letters were %s, but there are too many to look at in one request."
                        .formatted(done, count),
                "Divide the time with --since and --until.");
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
