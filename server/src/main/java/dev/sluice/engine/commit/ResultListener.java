package dev.sluice.engine.commit;

import java.util.List;

/// Receives results from [ResultJournal] after their commit is flushed, or after the journal has
/// given up on them. The journal's writer thread makes the calls, so implementations must return
/// quickly.
///
/// Retention ends deliveries without using [ResultJournal]. It therefore calls this listener
/// itself, on its own thread and with an empty `batch`.
public interface ResultListener {

    /// @param batch the results that the journal has finished with, whether it wrote them, ignored
    ///   them or gave up on them
    /// @param effective the results that changed a row; the others had been written before, were
    ///   outdated, or were given up on
    void written(List<DeliveryResult> batch, List<DeliveryResult> effective);
}
