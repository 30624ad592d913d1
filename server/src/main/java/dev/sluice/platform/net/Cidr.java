package dev.sluice.platform.net;

import java.net.InetAddress;

/// A range of IP addresses in CIDR notation (RFC 4632), such as `10.0.0.0/8` or `fd00::/8`.
/// Immutable.
public final class Cidr {

    private final AddressBits network;
    private final int prefix;
    private final String text;

    private Cidr(AddressBits network, int prefix, String text) {
        this.network = network;
        this.prefix = prefix;
        this.text = text;
    }

    /// Parses a range. An address without a prefix length is a range of one address. Bits of the
    /// address after the prefix are ignored.
    ///
    /// @throws IllegalArgumentException with a message for the person who wrote the range
    public static Cidr parse(String text) {
        int slash = text.indexOf('/');
        var address = Host.literal(slash < 0 ? text : text.substring(0, slash));
        if (address.isEmpty()) {
            throw unreadable(text);
        }
        var bits = AddressBits.of(address.get());
        int maxPrefix = bits.isV6() ? 128 : 32;
        int prefix = slash < 0 ? maxPrefix : prefix(text, text.substring(slash + 1));
        if (prefix > maxPrefix) {
            throw unreadable(text);
        }
        return new Cidr(bits.first(prefix), prefix, text);
    }

    private static int prefix(String text, String digits) {
        boolean isNumber =
                !digits.isEmpty()
                        && digits.length() <= 3
                        && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!isNumber) {
            throw unreadable(text);
        }
        return Integer.parseInt(digits);
    }

    private static IllegalArgumentException unreadable(String text) {
        return new IllegalArgumentException(
                "'" + text + "' is not an address range such as 10.0.0.0/8 or fd00::/8");
    }

    public boolean contains(InetAddress address) {
        return contains(AddressBits.of(address));
    }

    boolean contains(AddressBits address) {
        return address.isV6() == network.isV6()
                && (address.high() & AddressBits.mask(prefix)) == network.high()
                && (address.low() & AddressBits.mask(prefix - 64)) == network.low();
    }

    /// Whether every address in `other` is also in this range.
    boolean covers(Cidr other) {
        return prefix <= other.prefix && contains(other.network);
    }

    @Override
    public String toString() {
        return text;
    }
}
