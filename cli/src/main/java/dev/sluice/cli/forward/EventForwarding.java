package dev.sluice.cli.forward;

import dev.sluice.cli.events.StoredEvent;

import java.util.Optional;

/// Forwards events. Each event is first recorded in a folder, if the user asked for that, and then
/// sent to the target.
public record EventForwarding(LocalForwarder forwarder, Optional<EventRecorder> recorder) {

    public ForwardResult forward(StoredEvent event, ForwardTarget target) {
        recorder.ifPresent(folder -> folder.record(event, target));
        return forwarder.forward(event, target);
    }
}
