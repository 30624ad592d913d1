package dev.sluice.features.transfer;

/// Receives the progress of an export or an import.
public interface TransferProgress {

    /// Called each time a piece of a table has been exported or imported.
    ///
    /// @param bytes the number of uncompressed bytes moved so far for this table
    void moved(String table, long bytes);

    void finished(String table, long rows, long bytes);
}
