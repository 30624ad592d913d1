package dev.sluice.bench.bare;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;

/// Handles ingest requests. It reads each request in full and answers 200 once the event is stored.
/// No thread blocks while a request is being read or stored.
final class BareIngestEndpoint extends Handler.Abstract.NonBlocking {

    private final Consumer<BareEvent> store;
    private final SplittableRandom random = new SplittableRandom();

    BareIngestEndpoint(Consumer<BareEvent> store) {
        this.store = store;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Content.Source.asByteBuffer(
                request,
                Promise.from(
                        body -> store.accept(event(request, body, response, callback)),
                        callback::failed));
        return true;
    }

    private BareEvent event(
            Request request, ByteBuffer body, Response response, Callback callback) {
        var lines = new StringBuilder(256);
        for (HttpField field : request.getHeaders()) {
            lines.append(field.getName()).append(": ").append(field.getValue()).append("\r\n");
        }
        var id = nextId();
        return new BareEvent(
                id,
                String.valueOf(request.getHeaders().get(HttpHeader.CONTENT_TYPE)),
                lines.toString().getBytes(ISO_8859_1),
                BufferUtil.toArray(body),
                () -> answer(id, response, callback));
    }

    private static void answer(UUID id, Response response, Callback callback) {
        byte[] answer = ("{\"request_id\":\"" + id + "\"}").getBytes(ISO_8859_1);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, answer.length);
        response.write(true, ByteBuffer.wrap(answer), callback);
    }

    /// Returns a new UUIDv7.
    private synchronized UUID nextId() {
        long millis = System.currentTimeMillis();
        long noise = random.nextLong();
        return new UUID(
                (millis << 16) | 0x7000L | (noise & 0xfff),
                0x8000000000000000L | (random.nextLong() >>> 2));
    }
}
