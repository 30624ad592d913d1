package dev.sluice.relay.send;

import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.destination.Auth;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.platform.http.Header;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Parcels with dull contents; a test changes what it is about.
final class Parcels {

    static final EventId EVENT =
            new EventId(UUID.fromString("0190a5c4-0000-7000-8000-000000000000"));

    private Parcels() {}

    static Parcel to(String url) {
        return new Parcel(
                DestinationUrl.stored(url),
                body("{}"),
                List.of(),
                Set.of(),
                List.of(),
                new Auth.None(),
                Duration.ofSeconds(5),
                EVENT,
                DeliveryId.of(EVENT, 1),
                1,
                Optional.empty(),
                "Shop");
    }

    static Body body(String text) {
        return Body.of(text.getBytes(StandardCharsets.UTF_8));
    }

    static Parcel withBody(Parcel parcel, Body body) {
        return new Parcel(
                parcel.url(),
                body,
                parcel.inbound(),
                parcel.withheld(),
                parcel.custom(),
                parcel.auth(),
                parcel.timeout(),
                parcel.event(),
                parcel.delivery(),
                parcel.attempt(),
                parcel.transformation(),
                parcel.sourceName());
    }

    static Parcel withTransformation(Parcel parcel, Transformation transformation, String source) {
        return new Parcel(
                parcel.url(),
                parcel.body(),
                parcel.inbound(),
                parcel.withheld(),
                parcel.custom(),
                parcel.auth(),
                parcel.timeout(),
                parcel.event(),
                parcel.delivery(),
                parcel.attempt(),
                Optional.of(transformation),
                source);
    }

    static Parcel withTimeout(Parcel parcel, Duration timeout) {
        return new Parcel(
                parcel.url(),
                parcel.body(),
                parcel.inbound(),
                parcel.withheld(),
                parcel.custom(),
                parcel.auth(),
                timeout,
                parcel.event(),
                parcel.delivery(),
                parcel.attempt(),
                parcel.transformation(),
                parcel.sourceName());
    }

    static Parcel withAuth(Parcel parcel, Auth auth) {
        return new Parcel(
                parcel.url(),
                parcel.body(),
                parcel.inbound(),
                parcel.withheld(),
                parcel.custom(),
                auth,
                parcel.timeout(),
                parcel.event(),
                parcel.delivery(),
                parcel.attempt(),
                parcel.transformation(),
                parcel.sourceName());
    }

    static Parcel withInbound(Parcel parcel, String... lines) {
        return new Parcel(
                parcel.url(),
                parcel.body(),
                headers(lines),
                parcel.withheld(),
                parcel.custom(),
                parcel.auth(),
                parcel.timeout(),
                parcel.event(),
                parcel.delivery(),
                parcel.attempt(),
                parcel.transformation(),
                parcel.sourceName());
    }

    static Parcel withholding(Parcel parcel, String name) {
        return new Parcel(
                parcel.url(),
                parcel.body(),
                parcel.inbound(),
                Set.of(name),
                parcel.custom(),
                parcel.auth(),
                parcel.timeout(),
                parcel.event(),
                parcel.delivery(),
                parcel.attempt(),
                parcel.transformation(),
                parcel.sourceName());
    }

    static Parcel withCustom(Parcel parcel, String... lines) {
        return new Parcel(
                parcel.url(),
                parcel.body(),
                parcel.inbound(),
                parcel.withheld(),
                headers(lines),
                parcel.auth(),
                parcel.timeout(),
                parcel.event(),
                parcel.delivery(),
                parcel.attempt(),
                parcel.transformation(),
                parcel.sourceName());
    }

    /// Reads `Name: value`.
    static List<Header> headers(String... lines) {
        var headers = new ArrayList<Header>();
        for (String line : lines) {
            int colon = line.indexOf(':');
            headers.add(new Header(line.substring(0, colon), line.substring(colon + 2)));
        }
        return headers;
    }
}
