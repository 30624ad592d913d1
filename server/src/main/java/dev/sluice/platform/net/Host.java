package dev.sluice.platform.net;

import java.net.IDN;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Optional;

/// The host of a URL: a name that must be resolved, or an IP address. Immutable.
public sealed interface Host {

    /// Returns the host as written in a `Host` header: ASCII, in lower case, without a trailing
    /// dot, and with brackets around an IPv6 address.
    String text();

    /// A host name in the ASCII form that DNS uses.
    record HostName(String text) implements Host {}

    /// An IP address. In a URL, it is written as four decimal numbers (IPv4) or in brackets (IPv6).
    record IpLiteral(InetAddress address) implements Host {

        @Override
        public String text() {
            String text = address.getHostAddress();
            return address instanceof Inet6Address ? "[" + text + "]" : text;
        }
    }

    /// Parses the host of a URL, without resolving it.
    ///
    /// If the last label is a number, the host is an IPv4 address (WHATWG URL Standard, "ends in a
    /// number"). It must then consist of four decimal numbers, because programs disagree about the
    /// meaning of `127.1`, `0x7f000001` or `2130706433`.
    ///
    /// @throws IllegalArgumentException with a message for the person who wrote the URL
    static Host parse(String written) {
        if (written.isEmpty()) {
            throw new IllegalArgumentException("must name a host");
        }
        if (written.startsWith("[")) {
            return bracketed(written);
        }
        String name = ascii(written).toLowerCase(Locale.ROOT);
        if (name.endsWith(".")) {
            name = name.substring(0, name.length() - 1);
        }
        checkLabels(name);
        if (endsInNumber(name)) {
            return new IpLiteral(ipv4(name).orElseThrow(Host::nonCanonicalIpv4));
        }
        return new HostName(name);
    }

    /// Returns the IP address if `text` is four decimal numbers (IPv4) or an IPv6 address without
    /// brackets. Returns empty for any other text.
    static Optional<InetAddress> literal(String text) {
        return text.indexOf(':') < 0 ? ipv4(text) : ipv6(text);
    }

    private static Host bracketed(String written) {
        if (written.indexOf('%') >= 0) {
            throw new IllegalArgumentException("must not name a network interface (%) in its host");
        }
        return written.endsWith("]")
                ? ipv6(written.substring(1, written.length() - 1))
                        .map(IpLiteral::new)
                        .orElseThrow(Host::invalidIpv6)
                : refuse("must close the bracket of its IPv6 address");
    }

    private static Host refuse(String message) {
        throw new IllegalArgumentException(message);
    }

    private static IllegalArgumentException invalidIpv6() {
        return new IllegalArgumentException("has no IPv6 address between its brackets");
    }

    private static IllegalArgumentException nonCanonicalIpv4() {
        return new IllegalArgumentException(
                AddressPolicy.REFUSAL_MESSAGE + ": write an IPv4 address as four decimal numbers");
    }

    private static String ascii(String written) {
        if (written.chars().allMatch(c -> c < 0x80)) {
            return written;
        }
        // IDNA2003 and IDNA2008 read these characters differently, so the name would be ambiguous.
        if (written.chars().anyMatch(c -> "ßẞς\u200c\u200d".indexOf(c) >= 0)) {
            throw new IllegalArgumentException(
                    "must give this host name in its ASCII form (xn--...)");
        }
        try {
            return IDN.toASCII(written);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("has a host name that is not valid", e);
        }
    }

    private static void checkLabels(String name) {
        if (name.isEmpty() || name.length() > 253) {
            throw new IllegalArgumentException("must name a host of 1 to 253 characters");
        }
        for (String label : name.split("\\.", -1)) {
            if (label.isEmpty() || label.length() > 63) {
                throw new IllegalArgumentException(
                        "has a host name with a part that is not 1 to 63 characters long");
            }
        }
        if (!name.chars().allMatch(Host::isNameCharacter)) {
            throw new IllegalArgumentException(
                    "has a character in its host name that is not allowed there");
        }
    }

    private static boolean isNameCharacter(int c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || "-_.".indexOf(c) >= 0;
    }

    private static boolean endsInNumber(String name) {
        String last = name.substring(name.lastIndexOf('.') + 1);
        return last.matches("[0-9]+|0x[0-9a-f]*");
    }

    private static Optional<InetAddress> ipv4(String text) {
        String[] numbers = text.split("\\.", -1);
        if (numbers.length != 4) {
            return Optional.empty();
        }
        byte[] bytes = new byte[4];
        for (int i = 0; i < 4; i++) {
            if (!numbers[i].matches("0|[1-9][0-9]{0,2}") || Integer.parseInt(numbers[i]) > 255) {
                return Optional.empty();
            }
            bytes[i] = (byte) Integer.parseInt(numbers[i]);
        }
        return Optional.of(address(bytes));
    }

    private static Optional<InetAddress> ipv6(String text) {
        if (!text.matches("[0-9A-Fa-f:.]{2,45}") || text.indexOf(':') < 0) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
