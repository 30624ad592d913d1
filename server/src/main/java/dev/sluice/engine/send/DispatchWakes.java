package dev.sluice.engine.send;

import dev.sluice.platform.loop.Wake;

/// What wakes the loops that deliver events.
///
/// @param backlog wakes the loop that reads lanes
/// @param probes wakes the loop that sends probes
/// @param rateLimits wakes the loop that retries destinations held back by their rate limit
/// @param quarantine wakes the loop that sends suspect deliveries alone
public record DispatchWakes(Wake backlog, Wake probes, Wake rateLimits, Wake quarantine) {

    public static DispatchWakes create() {
        return new DispatchWakes(new Wake(), new Wake(), new Wake(), new Wake());
    }
}
