package dev.sluice.cli.forward;

import dev.sluice.cli.events.StoredEvent;

import java.time.Duration;
import java.util.Optional;

/// Forwards events. Each event is first recorded in a folder, if the user asked for that, and then
/// sent to the target. An event that cannot be one request is neither recorded nor sent.
public record EventForwarding(LocalForwarder forwarder, Optional<EventRecorder> recorder) {

    public ForwardResult forward(StoredEvent event, ForwardTarget target) {
        var fault = event.fault();
        if (fault.isPresent()) {
            return new ForwardResult.Unanswered(
                    "the event was not sent, because " + fault.get(), Duration.ZERO);
        }
        recorder.ifPresent(folder -> folder.record(event, target));
        return forwarder.forward(event, target);
    }
}
