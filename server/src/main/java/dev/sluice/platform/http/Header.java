package dev.sluice.platform.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/// One HTTP header exactly as it is sent over the network.
///
/// The name and value are Latin-1, so each character stands for one byte.
public record Header(String name, String value) {

    /// Whether the header has this name, ignoring case (RFC 9110, 5.1).
    public boolean isNamed(String other) {
        return name.equalsIgnoreCase(other);
    }

    /// Returns the value as readable text, decoded as UTF-8 if its bytes are valid UTF-8 and as
    /// Latin-1 otherwise.
    public String text() {
        if (value.chars().allMatch(c -> c < 0x80)) {
            return value;
        }
        try {
            return UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(value.getBytes(ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException e) {
            return value;
        }
    }

    /// Returns a header whose value is the UTF-8 bytes of `text`.
    public static Header ofText(String name, String text) {
        return new Header(name, new String(text.getBytes(UTF_8), ISO_8859_1));
    }
}
