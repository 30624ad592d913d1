package dev.sluice.relay.verify;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;

import javax.crypto.Mac;

/// What is signed: text with slots, such as `v0:{timestamp}:{body}`.
record Template(List<String> parts) {

    /// The values of the slots. Texts from headers are Latin-1, a character for each byte.
    record Slots(String id, String timestamp, String url, String form, Inbound inbound) {}

    Template {
        parts = List.copyOf(parts);
    }

    static Template of(String text) {
        return new Template(Arrays.asList(text.split("(?=\\{)|(?<=\\})", -1)));
    }

    boolean has(String slot) {
        return parts.contains(slot);
    }

    void feed(Mac mac, Slots slots) {
        for (String part : parts) {
            mac.update(
                    switch (part) {
                        case "{id}" -> slots.id.getBytes(ISO_8859_1);
                        case "{timestamp}" -> slots.timestamp.getBytes(ISO_8859_1);
                        case "{url}" -> slots.url.getBytes(ISO_8859_1);
                        case "{form}" -> slots.form.getBytes(UTF_8);
                        case "{body}" -> slots.inbound.body();
                        default -> part.getBytes(ISO_8859_1);
                    });
        }
    }
}
