package dev.sluice.platform.http;

import static java.nio.charset.StandardCharsets.UTF_8;

/// Encodes Server-Sent Events, the messages of an event stream, as the [HTML
/// standard](https://html.spec.whatwg.org/multipage/server-sent-events.html) defines them.
public final class ServerSentEvent {

    private static final byte[] END = "\n\n".getBytes(UTF_8);

    private ServerSentEvent() {}

    /// Returns a message with an id. When the client reconnects, it resumes after the last id that
    /// it received.
    ///
    /// @param data one line of JSON
    public static byte[] bytes(String name, String id, byte[] data) {
        return join("id: " + id + "\nevent: " + name + "\ndata: ", data);
    }

    /// Returns a message without an id.
    ///
    /// @param data one line of JSON
    public static byte[] bytes(String name, byte[] data) {
        return join("event: " + name + "\ndata: ", data);
    }

    private static byte[] join(String head, byte[] data) {
        byte[] start = head.getBytes(UTF_8);
        byte[] all = new byte[start.length + data.length + END.length];
        System.arraycopy(start, 0, all, 0, start.length);
        System.arraycopy(data, 0, all, start.length, data.length);
        System.arraycopy(END, 0, all, start.length + data.length, END.length);
        return all;
    }
}
