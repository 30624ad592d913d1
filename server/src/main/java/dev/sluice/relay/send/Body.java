package dev.sluice.relay.send;

import javax.crypto.Mac;

/// The bytes of a payload, which nobody can change any more.
public final class Body {

    private final byte[] bytes;

    private Body(byte[] bytes) {
        this.bytes = bytes;
    }

    /// Takes the array over: it must not be changed afterwards.
    public static Body of(byte[] bytes) {
        return new Body(bytes);
    }

    public int length() {
        return bytes.length;
    }

    void feed(Mac mac) {
        mac.update(bytes);
    }

    /// Not to be changed.
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public String toString() {
        return bytes.length + " bytes";
    }
}
