package dev.sluice.cli.forward;

import dev.sluice.cli.events.StoredEvent;

import java.util.Optional;

/// What happens to each event: it is kept in a folder if that is wanted, and sent to the target.
public record EventForwarding(LocalForwarder forwarder, Optional<EventRecorder> recorder) {

    public ForwardResult forward(StoredEvent event, ForwardTarget target) {
        recorder.ifPresent(folder -> folder.record(event, target));
        return forwarder.forward(event, target);
    }
}
