package dev.sluice.cli.listen;

import dev.sluice.cli.show.FeedPrinter;

/// Prints the summary: when it is closed, or when Ctrl-C or SIGTERM ends the process before.
final class SummaryAtEnd implements AutoCloseable {

    private final FeedPrinter printer;
    private final Thread hook;

    SummaryAtEnd(FeedPrinter printer) {
        this.printer = printer;
        hook = new Thread(printer::summary, "summary");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    @Override
    public void close() {
        printer.summary();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending.
        }
    }
}
