package dev.sluice.platform.http;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;

/// Sends a response without the `Content-Length: 0` that Jetty adds to a response with no body. In
/// a 304, that header states the length of the omitted body (RFC 9110, 8.6), so 0 would be wrong.
final class NoContentLengthStream extends HttpStream.Wrapper {

    NoContentLengthStream(HttpStream stream) {
        super(stream);
    }

    @Override
    public void send(
            MetaData.Request request,
            MetaData.@Nullable Response response,
            boolean last,
            @Nullable ByteBuffer content,
            Callback callback) {
        super.send(
                request,
                response == null ? null : withoutLength(response),
                last,
                content,
                callback);
    }

    private static MetaData.Response withoutLength(MetaData.Response response) {
        var headers = HttpFields.build(response.getHttpFields());
        headers.remove(HttpHeader.CONTENT_LENGTH);
        return new MetaData.Response(
                response.getStatus(),
                response.getReason(),
                response.getHttpVersion(),
                headers,
                -1,
                response.getTrailersSupplier());
    }
}
