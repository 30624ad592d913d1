package dev.sluice.cli.listen;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.events.FilteredEvent;
import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.forward.EventForwarding;
import dev.sluice.cli.forward.RouteTable;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.show.FeedPrinter;
import dev.sluice.cli.show.PrintOptions;
import dev.sluice.cli.stream.StreamChoice;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/// The `sluice listen` command, which forwards events to a local address as they arrive.
@Command(
        name = "listen",
        description = {
            "Forward events to a local address as they come in, exactly as they were sent.",
            "Example: sluice listen Shop --forward-to 3000/webhooks"
        })
public final class ListenCommand implements Callable<Integer> {

    private static final int MAX_CONCURRENCY = 100;

    private final CommandContext context;
    private final InstantSource clock;

    @Mixin private final FeedOptions options = new FeedOptions();

    @Mixin private final ForwardOptions forwarding = new ForwardOptions();

    @Mixin private final PrintOptions printing = new PrintOptions();

    @Option(
            names = {"-r", "--route"},
            paramLabel = "SOURCE=TARGET",
            description = "Where this source's events go; repeatable. The source is streamed, too.")
    private List<String> routes = List.of();

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description = "Send up to N events at once, out of order; by default 1, in order.")
    private int concurrency = 1;

    public ListenCommand(CommandContext context, InstantSource clock) {
        this.context = context;
        this.clock = clock;
    }

    @Override
    public Integer call() {
        options.check(clock.instant());
        if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
            throw CommandException.usage(
                    "--concurrency must be from 1 to " + MAX_CONCURRENCY + ".", "");
        }
        var filter = options.filters().filter(context.shell());
        var rules = forwarding.rules(context.shell());
        var parts = printing.parts();
        var access = ServerAccess.resolve(context);
        try (var client = access.client()) {
            var table =
                    new RouteTable(
                            forwarding.forwardTo(context.shell()),
                            routes,
                            new NameLookup(client)::sourceId);
            forwarding.check(table.targets());
            var choice =
                    StreamChoice.find(
                            client, streamed(table), filter, options.filters().connection());
            var printer = new FeedPrinter(context, choice.sources(), parts);
            warnOfFarTargets(table, printer);
            var session =
                    new FeedSession(context, clock, options, client, choice, printer, concurrency);
            var forwarder = forwarding.forwarding(rules.withPrefixOf(session.me()));
            session.run(
                    access.description(),
                    true,
                    Optional.of(table),
                    event -> forward(event, table, forwarder, printer));
            if (forwarding.isFailOnError() && printer.failures() > 0) {
                throw new CommandException(
                        ExitCode.FORWARDING,
                        "forwarding_failed",
                        "The local service failed for %d events.".formatted(printer.failures()),
                        "`sluice replay EVENT` sends one again.");
            }
            return FeedRunner.exitCode(options, session.events());
        }
    }

    /// Returns the sources to stream: the given sources and those that have a route. If no source
    /// was given, returns an empty list, which means all sources, or the connection's source if
    /// `--connection` is given.
    private List<String> streamed(RouteTable table) {
        if (options.sources().isEmpty()) {
            return List.of();
        }
        return Stream.concat(options.sources().stream(), table.sourceIds().stream()).toList();
    }

    private static void warnOfFarTargets(RouteTable table, FeedPrinter printer) {
        for (var target : table.targets()) {
            if (!target.isNear()) {
                printer.warning(target + " is neither on this machine nor in a private network");
            }
        }
    }

    /// Reports the event to the printer and returns the action that sends the event. If the event
    /// is not forwarded, also reports the reason, and returns empty.
    private static Optional<Runnable> forward(
            StoredEvent event, RouteTable table, EventForwarding forwarder, FeedPrinter printer) {
        printer.event(event, false);
        if (event.isRefused()) {
            printer.filtered(
                    new FilteredEvent(
                            event,
                            "verification_failed",
                            "its verification failed, so it is not delivered"));
            return Optional.empty();
        }
        if (event.isPayloadUnreadable()) {
            printer.filtered(FilteredEvent.unreadable(event));
            return Optional.empty();
        }
        var target = table.target(event.sourceId());
        if (target.isEmpty()) {
            printer.filtered(new FilteredEvent(event, "no_route", "its source has no route"));
        }
        return target.map(address ->
                () -> printer.result(event, address.toString(), forwarder.forward(event, address)));
    }
}
