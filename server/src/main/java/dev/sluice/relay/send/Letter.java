package dev.sluice.relay.send;

import dev.sluice.gateway.connection.Transformation;
import dev.sluice.platform.http.Header;

import java.time.Instant;
import java.util.List;

/// A parcel made ready to be sent: transformed, identified and authenticated.
///
/// @param headers all but `Host` and `Content-Length`
record Letter(List<Header> headers, Body body) {

    /// @throws Failure when the transformation makes something that cannot be sent
    static Letter of(Parcel parcel, OutgoingHeaders outgoing, Instant now) throws Failure {
        var body =
                parcel.transformation()
                        .flatMap(Transformation::merge)
                        .map(merge -> Body.of(merge.into(parcel.body().bytes())))
                        .orElse(parcel.body());
        return new Letter(outgoing.of(parcel, body, now), body);
    }
}
