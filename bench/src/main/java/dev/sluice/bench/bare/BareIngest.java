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

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;

/// Reads a request whole, waits until it is stored, answers 200.
final class BareIngest extends Handler.Abstract {

    private final Consumer<Item> store;
    private final SplittableRandom random = new SplittableRandom();

    BareIngest(Consumer<Item> store) {
        this.store = store;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        byte[] body = BufferUtil.toArray(Content.Source.asByteBuffer(request));
        var lines = new StringBuilder(256);
        for (HttpField field : request.getHeaders()) {
            lines.append(field.getName()).append(": ").append(field.getValue()).append("\r\n");
        }
        var item =
                new Item(
                        nextId(),
                        String.valueOf(request.getHeaders().get(HttpHeader.CONTENT_TYPE)),
                        lines.toString().getBytes(ISO_8859_1),
                        body);
        store.accept(item);
        item.stored.await();
        byte[] answer = ("{\"request_id\":\"" + item.id + "\"}").getBytes(ISO_8859_1);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, answer.length);
        response.write(true, ByteBuffer.wrap(answer), callback);
        return true;
    }

    /// UUIDv7.
    private synchronized UUID nextId() {
        long millis = System.currentTimeMillis();
        long noise = random.nextLong();
        return new UUID(
                (millis << 16) | 0x7000L | (noise & 0xfff),
                0x8000000000000000L | (random.nextLong() >>> 2));
    }
}
