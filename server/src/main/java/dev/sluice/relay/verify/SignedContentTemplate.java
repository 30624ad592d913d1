package dev.sluice.relay.verify;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;

import javax.crypto.Mac;

/// A template of the text that a sender signs, with slots, such as `v0:{timestamp}:{body}`.
record SignedContentTemplate(List<String> parts) {

    /// The values for the slots; `inbound` supplies the body. Text from headers is Latin-1, with
    /// one character for each byte.
    record TemplateValues(
            String id, String timestamp, String url, String form, InboundRequest inbound) {}

    SignedContentTemplate {
        parts = List.copyOf(parts);
    }

    static SignedContentTemplate of(String text) {
        return new SignedContentTemplate(Arrays.asList(text.split("(?=\\{)|(?<=\\})", -1)));
    }

    boolean hasSlot(String slot) {
        return parts.contains(slot);
    }

    void updateMac(Mac mac, TemplateValues values) {
        for (String part : parts) {
            mac.update(
                    switch (part) {
                        case "{id}" -> values.id.getBytes(ISO_8859_1);
                        case "{timestamp}" -> values.timestamp.getBytes(ISO_8859_1);
                        case "{url}" -> values.url.getBytes(ISO_8859_1);
                        case "{form}" -> values.form.getBytes(UTF_8);
                        case "{body}" -> values.inbound.body();
                        default -> part.getBytes(ISO_8859_1);
                    });
        }
    }
}
