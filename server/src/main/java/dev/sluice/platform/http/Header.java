package dev.sluice.platform.http;

/// One header as it stood on the wire. Both parts are Latin-1: each character is one byte.
public record Header(String name, String value) {

    /// Header names ignore case (RFC 9110, 5.1).
    public boolean isNamed(String other) {
        return name.equalsIgnoreCase(other);
    }
}
