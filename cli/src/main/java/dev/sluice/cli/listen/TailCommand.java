package dev.sluice.cli.listen;

import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.show.FeedPrinter;
import dev.sluice.cli.show.PrintedParts;
import dev.sluice.cli.stream.StreamChoice;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;

/// The `sluice tail` command, which shows events as they arrive, without forwarding them.
@Command(name = "tail", description = "Show events as they come in.")
public final class TailCommand implements Callable<Integer> {

    private final CommandContext context;
    private final InstantSource clock;

    @Mixin private final FeedOptions options = new FeedOptions();

    @Option(names = "--payload", description = "Show headers and body too.")
    private boolean hasPayload;

    @Option(
            names = "--show-secrets",
            description =
                    "With --payload: credentials and signatures in headers too, instead of ***.")
    private boolean hasSecrets;

    public TailCommand(CommandContext context, InstantSource clock) {
        this.context = context;
        this.clock = clock;
    }

    @Override
    public Integer call() {
        options.check(clock.instant());
        var filter = options.filters().filter(context.shell());
        var access = ServerAccess.resolve(context);
        try (var client = access.client()) {
            var choice =
                    StreamChoice.find(
                            client, options.sources(), filter, options.filters().connection());
            var printer =
                    new FeedPrinter(
                            context,
                            choice.sources(),
                            hasPayload ? PrintedParts.payload(hasSecrets) : PrintedParts.NONE);
            var session = new FeedSession(context, clock, options, client, choice, printer, 1);
            session.run(
                    access.description(),
                    hasPayload,
                    Optional.empty(),
                    event -> show(printer, event));
            return FeedRunner.exitCode(options, session.events());
        }
    }

    private static Optional<Runnable> show(FeedPrinter printer, StoredEvent event) {
        return Optional.of(() -> printer.event(event, true));
    }
}
