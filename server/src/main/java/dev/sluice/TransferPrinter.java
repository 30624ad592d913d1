package dev.sluice;

import dev.sluice.features.transfer.TransferProgress;

import java.io.PrintStream;

/// Prints the progress of an export or an import: one line for each table that has rows, and one
/// for roughly every 256 MB of a table.
final class TransferPrinter implements TransferProgress {

    private static final long MEGABYTE = 1_000_000;
    private static final long BYTES_PER_LINE = 256 * MEGABYTE;

    private final PrintStream err;
    private long nextLine = BYTES_PER_LINE;

    TransferPrinter(PrintStream err) {
        this.err = err;
    }

    @Override
    public void moved(String table, long bytes) {
        if (bytes >= nextLine) {
            err.println("  " + table + ": " + bytes / MEGABYTE + " MB ...");
            nextLine += BYTES_PER_LINE;
        }
    }

    @Override
    public void finished(String table, long rows, long bytes) {
        nextLine = BYTES_PER_LINE;
        if (rows > 0) {
            err.println("  " + table + ": " + rows + " rows, " + size(bytes));
        }
    }

    /// Returns the size in KB if it is less than 1 MB, otherwise in MB.
    static String size(long bytes) {
        return bytes < MEGABYTE ? (bytes + 999) / 1_000 + " KB" : bytes / MEGABYTE + " MB";
    }
}
