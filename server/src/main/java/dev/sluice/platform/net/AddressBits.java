package dev.sluice.platform.net;

import java.net.InetAddress;

/// An IP address as a left-aligned 128-bit number. In this form, address prefixes can be compared
/// with bit masks. An IPv4 address fills the upper half of `high`.
///
/// An IPv4-mapped IPv6 address (`::ffff:a.b.c.d`, RFC 4291, section 2.5.5.2) is converted to the
/// IPv4 address.
record AddressBits(boolean isV6, long high, long low) {

    private static final long IPV4_MAPPED_PREFIX = 0xffffL << 32;

    static AddressBits of(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 4) {
            return new AddressBits(false, number(bytes, 0, 4) << 32, 0);
        }
        long high = number(bytes, 0, 8);
        long low = number(bytes, 8, 16);
        if (high == 0 && (low & ~0xffff_ffffL) == IPV4_MAPPED_PREFIX) {
            return new AddressBits(false, low << 32, 0);
        }
        return new AddressBits(true, high, low);
    }

    /// Returns the address with its first `prefix` bits kept and the rest cleared.
    AddressBits first(int prefix) {
        return new AddressBits(isV6, high & mask(prefix), low & mask(prefix - 64));
    }

    /// Returns a 64-bit mask with the first `ones` bits set. A value below 1 sets no bits, and a
    /// value above 63 sets all bits.
    static long mask(int ones) {
        if (ones <= 0) {
            return 0;
        }
        return ones >= 64 ? -1 : -1L << (64 - ones);
    }

    private static long number(byte[] bytes, int from, int to) {
        long number = 0;
        for (int i = from; i < to; i++) {
            number = (number << 8) | (bytes[i] & 0xff);
        }
        return number;
    }
}
