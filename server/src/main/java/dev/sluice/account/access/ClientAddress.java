package dev.sluice.account.access;

import dev.sluice.platform.http.Request;
import dev.sluice.platform.net.Cidr;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Finds the address of the client that sent a request, even if the request passed through proxies.
///
/// Each proxy appends to `X-Forwarded-For` the address from which it received the request. The
/// client's address is therefore the last address that is not a trusted proxy's. The text before
/// that address proves nothing, because the client itself may have written it.
///
/// The search starts with the address of the connection itself and goes backwards through the
/// header until it finds an address that is not trusted. If it reaches the beginning of the header,
/// or text that is not an address, it stops. The client's address is then the last one that it
/// found.
public final class ClientAddress {

    private static final Pattern IPV4_WITH_PORT = Pattern.compile("^([0-9.]+):\\d{1,5}$");
    private static final Pattern IPV6_IN_BRACKETS =
            Pattern.compile("^\\[([0-9a-fA-F:.]+)](?::\\d{1,5})?$");

    private final List<Cidr> trustedProxies;

    /// @param trustedProxies the address ranges of the proxies whose `X-Forwarded-For` is trusted
    public ClientAddress(List<Cidr> trustedProxies) {
        this.trustedProxies = List.copyOf(trustedProxies);
    }

    public InetAddress of(Request request) {
        var address = request.remoteAddress();
        var forwarded =
                Arrays.asList(
                        String.join(",", request.headerValues("X-Forwarded-For")).split(",", -1));
        for (var hop : forwarded.reversed()) {
            if (!isTrusted(address)) {
                break;
            }
            var previous = parse(hop.strip());
            if (previous.isEmpty()) {
                break; // not written by a trusted proxy
            }
            address = previous.get();
        }
        return address;
    }

    private boolean isTrusted(InetAddress address) {
        return trustedProxies.stream().anyMatch(range -> range.contains(address));
    }

    /// Parses an address as proxies write it: alone, in brackets, or with the client's port as in
    /// `192.0.2.1:5678` and `[2001:db8::1]:80`.
    private static Optional<InetAddress> parse(String text) {
        String address = IPV4_WITH_PORT.matcher(text).replaceFirst("$1");
        address = IPV6_IN_BRACKETS.matcher(address).replaceFirst("$1");
        try {
            return Optional.of(InetAddress.ofLiteral(address));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /// Returns the network that an address belongs to, as text. [NetworkCounter] and
    /// [KnownNetworkStore] use it as a key. For IPv4, the network is the address itself. For IPv6,
    /// it is the first 64 bits of the address, because one client usually has all addresses that
    /// begin with the same 64 bits.
    public static String network(InetAddress address) {
        if (address instanceof Inet6Address) {
            var text = new StringBuilder();
            byte[] bytes = address.getAddress();
            for (int i = 0; i < 8; i += 2) {
                text.append(String.format("%02x%02x:", bytes[i], bytes[i + 1]));
            }
            return text.append(":/64").toString();
        }
        return address.getHostAddress();
    }
}
