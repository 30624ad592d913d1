package dev.sluice.cli.forward;

import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.events.StoredEvent.StoredHeader;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Builds the request line and the headers of a forwarded event.
final class RequestHead {

    private static final Set<String> HOP_BY_HOP =
            Set.of(
                    "connection",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "proxy-connection",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade",
                    "host",
                    "content-length",
                    "expect");

    /// The mask that the server shows instead of a credential. A header with this value is left
    /// out, even if the sender really did send it, because the two cases look the same.
    private static final String MASK = "***";

    private RequestHead() {}

    /// Returns the head as a string with one character for each byte.
    static String of(StoredEvent event, ForwardTarget target, ForwardRules rules) {
        var head =
                new StringBuilder()
                        .append(rules.method().orElse(event.method()))
                        .append(' ')
                        .append(target.pathAndQuery())
                        .append(" HTTP/1.1\r\n");
        line(head, "Host", host(event, target, rules));
        for (var header : headers(event, rules)) {
            line(head, header.name(), header.rawValue());
        }
        line(head, "Content-Length", Integer.toString(event.body().length));
        line(head, "Connection", "close");
        return head.append("\r\n").toString();
    }

    private static void line(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    private static String host(StoredEvent event, ForwardTarget target, ForwardRules rules) {
        return Optional.of(event)
                .filter(_ -> rules.isHostKept())
                .flatMap(sent ->
                        sent.headers().stream()
                                .filter(header -> header.name().equalsIgnoreCase("host"))
                                .findFirst())
                .map(StoredHeader::rawValue)
                .orElse(target.uri().getRawAuthority());
    }

    /// Returns the headers to send, except `Host`, `Content-Length` and `Connection`: the event's
    /// headers that are forwarded, then a header with the event's id, then the headers that the
    /// rules add.
    static List<StoredHeader> headers(StoredEvent event, ForwardRules rules) {
        String idHeader = rules.headerPrefix() + "-Event-Id";
        var dropped = new HashSet<>(rules.withoutHeaders());
        dropped.add(idHeader.toLowerCase(Locale.ROOT));
        rules.moreHeaders().forEach(header -> dropped.add(header.name().toLowerCase(Locale.ROOT)));
        for (var header : event.headers()) {
            if (header.name().equalsIgnoreCase("connection")) {
                for (String name : header.value().split(",", -1)) {
                    dropped.add(name.strip().toLowerCase(Locale.ROOT));
                }
            }
        }
        var sent = new ArrayList<StoredHeader>();
        for (var header : event.headers()) {
            String name = header.name().toLowerCase(Locale.ROOT);
            if (!HOP_BY_HOP.contains(name)
                    && !dropped.contains(name)
                    && !header.value().equals(MASK)) {
                sent.add(header);
            }
        }
        sent.add(StoredHeader.ofText(idHeader, event.id()));
        sent.addAll(rules.moreHeaders());
        return sent;
    }
}
