package dev.sluice.engine.signature;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;

import javax.crypto.Mac;

/// A template for the text that a sender signs. It contains slots, as in `v0:{timestamp}:{body}`.
public record SignedContentTemplate(List<String> parts) {

    /// The values for all slots except `{body}`. Text from headers is Latin-1, with one character
    /// for each byte.
    public record SlotValues(String id, String timestamp, String url, String form) {}

    public SignedContentTemplate {
        parts = List.copyOf(parts);
    }

    static SignedContentTemplate of(String text) {
        return new SignedContentTemplate(Arrays.asList(text.split("(?=\\{)|(?<=\\})", -1)));
    }

    public boolean hasSlot(String slot) {
        return parts.contains(slot);
    }

    public void updateMac(Mac mac, SlotValues values, byte[] body) {
        for (String part : parts) {
            mac.update(
                    switch (part) {
                        case "{id}" -> values.id.getBytes(ISO_8859_1);
                        case "{timestamp}" -> values.timestamp.getBytes(ISO_8859_1);
                        case "{url}" -> values.url.getBytes(ISO_8859_1);
                        case "{form}" -> values.form.getBytes(UTF_8);
                        case "{body}" -> body;
                        default -> part.getBytes(ISO_8859_1);
                    });
        }
    }
}
