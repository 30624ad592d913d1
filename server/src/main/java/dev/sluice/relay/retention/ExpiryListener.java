package dev.sluice.relay.retention;

import java.util.List;

/// Told of deliveries that will end unsent, some time before they do; of each once, or twice when
/// the process dies at that moment. On the thread that looked: must be quick.
@FunctionalInterface
public interface ExpiryListener {

    void expiring(List<Expiring> soon);
}
