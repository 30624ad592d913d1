package dev.sluice.platform.net;

import java.net.InetAddress;

/// An address as a number, left-aligned: IPv4 stands in the upper half of `high`.
///
/// IPv4 addresses written as IPv6 (`::ffff:a.b.c.d`) are IPv4 here.
record Bits(boolean isV6, long high, long low) {

    private static final long MAPPED = 0xffffL << 32;

    static Bits of(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 4) {
            return new Bits(false, number(bytes, 0, 4) << 32, 0);
        }
        long high = number(bytes, 0, 8);
        long low = number(bytes, 8, 16);
        if (high == 0 && (low & ~0xffff_ffffL) == MAPPED) {
            return new Bits(false, low << 32, 0);
        }
        return new Bits(true, high, low);
    }

    /// The first `prefix` bits, the rest zero.
    Bits first(int prefix) {
        return new Bits(isV6, high & mask(prefix), low & mask(prefix - 64));
    }

    /// The first `ones` bits of 64 set, none below 1 and all above 63.
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
