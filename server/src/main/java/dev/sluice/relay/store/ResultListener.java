package dev.sluice.relay.store;

import java.util.List;

/// Receives each batch of [ResultJournal] after its commit is flushed. Called on the writer thread,
/// so it must be quick.
///
/// Retention ends deliveries without [ResultJournal]. It calls this listener on its own thread,
/// with an empty `batch`.
public interface ResultListener {

    /// @param batch all results given to the journal, each exactly once
    /// @param effective the results that changed a row; the others had been written before, or were
    ///   outdated
    void written(List<DeliveryResult> batch, List<DeliveryResult> effective);
}
