package dev.sluice.relay.transfer;

/// Receives the progress of an export or an import.
public interface TransferProgress {

    /// Called each time a piece of a table has been exported or imported.
    ///
    /// @param bytes the number of bytes of this table moved so far, uncompressed
    void moved(String table, long bytes);

    void finished(String table, long rows, long bytes);
}
