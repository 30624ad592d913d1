package dev.sluice.relay.store;

import java.util.List;

/// Told by [Results] of each batch after its commit was flushed. On the writing thread: must be
/// quick. Told of deliveries that were ended without [Results] too, in an empty batch and on
/// another thread.
public interface ResultsListener {

    /// @param batch all that was handed over, once each
    /// @param effective what of it changed something; the rest had been written before, or was
    ///   overtaken
    void written(List<Settled> batch, List<Settled> effective);
}
