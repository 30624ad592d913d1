package dev.sluice.relay.transfer;

/// Receives the progress of an export or an import.
public interface TransferProgress {

    /// Called after each piece of a table.
    ///
    /// @param bytes the number of bytes of this table so far, before compression
    void moved(String table, long bytes);

    void finished(String table, long rows, long bytes);
}
