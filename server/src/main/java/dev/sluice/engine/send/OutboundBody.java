package dev.sluice.engine.send;

import javax.crypto.Mac;

/// The bytes of a request body. Immutable, provided that no caller modifies the array.
public final class OutboundBody {

    private final byte[] bytes;

    private OutboundBody(byte[] bytes) {
        this.bytes = bytes;
    }

    /// Wraps the array without copying it. The caller must not modify it afterwards.
    public static OutboundBody of(byte[] bytes) {
        return new OutboundBody(bytes);
    }

    public int length() {
        return bytes.length;
    }

    void updateMac(Mac mac) {
        mac.update(bytes);
    }

    /// Returns the array itself, which must not be modified.
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public String toString() {
        return bytes.length + " bytes";
    }
}
