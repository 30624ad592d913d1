package dev.sluice.platform.net;

import java.net.IDN;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Optional;

/// The host of a URL: a name to be looked up, or an address written out.
public sealed interface Host {

    /// As it stands in a `Host` header: ASCII, lower case, no trailing dot, IPv6 in brackets.
    String text();

    /// A name, in the ASCII form that DNS knows.
    record Name(String text) implements Host {}

    /// An address: four decimal numbers, or IPv6 in brackets.
    record Literal(InetAddress address) implements Host {

        @Override
        public String text() {
            String text = address.getHostAddress();
            return address instanceof Inet6Address ? "[" + text + "]" : text;
        }
    }

    /// Reads the host as it stands in a URL. Nothing is looked up.
    ///
    /// Follows the rule of the WHATWG URL standard that a host whose last label is a number is an
    /// IPv4 address, and accepts only its canonical form: `127.1`, `0x7f000001` and `2130706433`
    /// mean different addresses to different readers.
    ///
    /// @throws IllegalArgumentException with a message for whoever wrote it
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
            return new Literal(ipv4(name).orElseThrow(Host::disguised));
        }
        return new Name(name);
    }

    /// The address that `text` spells in its canonical form, IPv6 without brackets.
    static Optional<InetAddress> literal(String text) {
        return text.indexOf(':') < 0 ? ipv4(text) : ipv6(text);
    }

    private static Host bracketed(String written) {
        if (written.indexOf('%') >= 0) {
            throw new IllegalArgumentException("must not name a network interface (%) in its host");
        }
        return written.endsWith("]")
                ? ipv6(written.substring(1, written.length() - 1))
                        .map(Literal::new)
                        .orElseThrow(Host::noIpv6)
                : refuse("must close the bracket of its IPv6 address");
    }

    private static Host refuse(String message) {
        throw new IllegalArgumentException(message);
    }

    private static IllegalArgumentException noIpv6() {
        return new IllegalArgumentException("has no IPv6 address between its brackets");
    }

    private static IllegalArgumentException disguised() {
        return new IllegalArgumentException(
                AddressPolicy.REFUSAL + ": write an IPv4 address as four decimal numbers");
    }

    private static String ascii(String written) {
        if (written.chars().allMatch(c -> c < 0x80)) {
            return written;
        }
        // Read differently by the two generations of IDNA, so the name would be ambiguous.
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
