package dev.sluice.cli.listen;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.forward.LocalForwarder;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.stream.FilteredEvent;
import dev.sluice.cli.stream.StreamChoice;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/// The command `sluice listen`: brings events to a local address as they come, one after the other.
@Command(
        name = "listen",
        description = {
            "Forward events to a local address as they come in, exactly as they were sent.",
            "Such as: sluice listen Shop --forward-to 3000/webhooks"
        })
public final class ListenCommand implements Callable<Integer> {

    private final CommandContext context;
    private final InstantSource clock;

    @Mixin private final FeedOptions options = new FeedOptions();

    @Mixin private final ForwardOptions forwarding = new ForwardOptions();

    @Option(
            names = {"-r", "--route"},
            paramLabel = "SOURCE=TARGET",
            description = "Where this source's events go; repeatable.")
    private List<String> routes = List.of();

    public ListenCommand(CommandContext context, InstantSource clock) {
        this.context = context;
        this.clock = clock;
    }

    @Override
    public Integer call() {
        options.check(clock.instant());
        var filter = options.filters().filter(context.shell());
        var forwarder = forwarding.forwarder();
        var access = ServerAccess.resolve(context);
        try (var client = access.client()) {
            var table =
                    new RouteTable(
                            forwarding.forwardTo(context.shell()),
                            routes,
                            new NameLookup(client)::sourceId);
            var choice =
                    StreamChoice.find(
                            client, options.sources(), filter, options.filters().connection());
            var printer = new FeedPrinter(context, choice.sources(), false);
            warnOfFarTargets(table, printer);
            var session = new FeedSession(context, clock, options, client, choice, printer);
            session.run(
                    true,
                    Optional.of(table.toString()),
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

    private static void warnOfFarTargets(RouteTable table, FeedPrinter printer) {
        for (var target : table.targets()) {
            if (!target.isNear()) {
                printer.warning(target + " is neither on this machine nor in a private network");
            }
        }
    }

    private static boolean forward(
            StoredEvent event, RouteTable table, LocalForwarder forwarder, FeedPrinter printer) {
        printer.event(event, false);
        if (event.isRefused()) {
            printer.filtered(
                    new FilteredEvent(
                            event,
                            "verification_failed",
                            "its verification failed, so it is delivered nowhere"));
            return false;
        }
        var target = table.target(event.sourceId());
        if (target.isEmpty()) {
            printer.filtered(new FilteredEvent(event, "no_route", "its source has no route"));
            return false;
        }
        printer.result(event, target.get().toString(), forwarder.forward(event, target.get()));
        return true;
    }
}
