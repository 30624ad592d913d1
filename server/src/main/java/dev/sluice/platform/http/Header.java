package dev.sluice.platform.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/// One header as it stood on the wire. Both parts are Latin-1: each character is one byte.
public record Header(String name, String value) {

    /// Header names ignore case (RFC 9110, 5.1).
    public boolean isNamed(String other) {
        return name.equalsIgnoreCase(other);
    }

    /// The value for people: as UTF-8 where its bytes are that, otherwise as Latin-1.
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

    /// One whose value is this text in UTF-8.
    public static Header ofText(String name, String text) {
        return new Header(name, new String(text.getBytes(UTF_8), ISO_8859_1));
    }
}
