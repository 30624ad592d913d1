package dev.sluice.engine.send;

import dev.sluice.gateway.connection.Transformation;
import dev.sluice.platform.http.Header;

import java.time.Instant;
import java.util.List;

/// A request that is ready to be sent: the transformation, identity headers and authentication have
/// been applied.
///
/// @param headers all headers except `Host` and `Content-Length`
public record PreparedRequest(List<Header> headers, OutboundBody body) {

    /// Applies the transformation and builds the headers.
    ///
    /// @throws TransformationException if the transformation produces something that cannot be
    ///   sent, or if this node cannot read the transformation or the authentication settings
    public static PreparedRequest of(
            OutboundRequest request, OutboundHeaderBuilder headerBuilder, Instant now)
            throws TransformationException {
        var body =
                request.transformation()
                        .flatMap(Transformation::merge)
                        .map(merge -> OutboundBody.of(merge.into(request.body().bytes())))
                        .orElse(request.body());
        return new PreparedRequest(headerBuilder.build(request, body, now), body);
    }
}
