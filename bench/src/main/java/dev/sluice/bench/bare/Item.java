package dev.sluice.bench.bare;

import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/// An event on its way through.
final class Item {

    final UUID id;
    final String contentType;

    /// Lines as on the wire.
    final byte[] headers;

    final byte[] body;

    /// Counted down once it is committed.
    final CountDownLatch stored = new CountDownLatch(1);

    Item(UUID id, String contentType, byte[] headers, byte[] body) {
        this.id = id;
        this.contentType = contentType;
        this.headers = headers;
        this.body = body;
    }
}
