package dev.sluice.cli.listen;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.UrlPath;
import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.forward.ForwardTarget;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.show.FeedPrinter;
import dev.sluice.cli.show.PrintOptions;
import dev.sluice.cli.stream.StreamSources;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/// The `sluice replay` command, which sends stored events to a local address.
@Command(
        name = "replay",
        description = {
            "Send stored events to a local address again, in the order given, or the oldest first.",
            "To have the server deliver an event again: sluice events resend"
        })
public final class ReplayCommand implements Callable<Integer> {

    private static final int MAX_LAST = 200;

    private final CommandContext context;

    @Parameters(paramLabel = "EVENT", description = "Ids of events.")
    private List<String> ids = List.of();

    @Option(
            names = "--last",
            paramLabel = "N",
            description = "The newest N events instead, up to 200.")
    private @Nullable Integer last;

    @Option(
            names = "--source",
            paramLabel = "SOURCE",
            description = "With --last: only events of this source, by id or name.")
    private @Nullable String source;

    @Mixin private final ForwardOptions forwarding = new ForwardOptions();

    @Mixin private final PrintOptions printing = new PrintOptions();

    public ReplayCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        if (ids.isEmpty() == (last == null)) {
            throw CommandException.usage(
                    "Give ids of events, or --last N.", "`sluice events list` shows the ids.");
        }
        var target =
                ForwardTarget.parse(
                        forwarding
                                .forwardTo(context.shell())
                                .orElseThrow(() ->
                                        CommandException.usage(
                                                "There is no address to forward to.",
                                                "Such as --forward-to 3000, or"
                                                        + " SLUICE_FORWARD_TO.")));
        forwarding.check(List.of(target));
        var rules = forwarding.rules(context.shell());
        var parts = printing.parts();
        try (var client = ServerAccess.resolve(context).client()) {
            var printer = new FeedPrinter(context, StreamSources.find(client, List.of()), parts);
            var forwarder = forwarding.forwarding(rules.withPrefixOf(client.get("me").json()));
            try (var _ = new ShutdownHook("summary", printer::summary)) {
                for (String id : last == null ? ids : newest(client, last)) {
                    var event =
                            StoredEvent.readWhole(
                                    client.get("events/" + UrlPath.segment(id)).json());
                    printer.event(event, false);
                    printer.result(event, target.toString(), forwarder.forward(event, target));
                }
            } finally {
                printer.summary();
            }
            return printer.failures() == 0 ? ExitCode.OK : exitCodeOfFailure();
        }
    }

    private int exitCodeOfFailure() {
        return forwarding.isFailOnError() ? ExitCode.FORWARDING : ExitCode.OK;
    }

    private List<String> newest(ServerClient client, int count) {
        if (count < 1 || count > MAX_LAST) {
            throw CommandException.usage("--last must be from 1 to " + MAX_LAST + ".", "");
        }
        var query =
                new QueryString()
                        .with("limit", String.valueOf(count))
                        .with(
                                "source_id",
                                Optional.ofNullable(source).map(new NameLookup(client)::sourceId));
        return client.get(query.after("events"))
                .json()
                .path("items")
                .valueStream()
                .map(event -> event.path("id").asString(""))
                .toList()
                .reversed();
    }
}
