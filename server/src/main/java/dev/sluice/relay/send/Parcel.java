package dev.sluice.relay.send;

import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.destination.Auth;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.platform.http.Header;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What one attempt sends, and where.
///
/// @param body as it was received
/// @param inbound the headers as they were received
/// @param withheld names of inbound headers that carried the source's own credential and stay here
/// @param custom the destination's own headers, in the order they were configured
/// @param timeout bounds the whole attempt, from looking the host up to the last byte read
/// @param attempt counts from 1
/// @param transformation of the connection; applied when the parcel is sent
/// @param sourceName what the event's source is called now
public record Parcel(
        DestinationUrl url,
        Body body,
        List<Header> inbound,
        Set<String> withheld,
        List<Header> custom,
        Auth auth,
        Duration timeout,
        EventId event,
        DeliveryId delivery,
        int attempt,
        Optional<Transformation> transformation,
        String sourceName) {

    public Parcel {
        inbound = List.copyOf(inbound);
        withheld = Set.copyOf(withheld);
        custom = List.copyOf(custom);
        if (!timeout.isPositive()) {
            throw new IllegalArgumentException("no time to send in: " + timeout);
        }
        if (attempt < 1) {
            throw new IllegalArgumentException("attempts count from 1, not from " + attempt);
        }
    }
}
