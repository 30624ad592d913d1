package dev.sluice.platform.net;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Decides which IP addresses Sluice may send requests to: public addresses, and any ranges that
/// the operator has allowed.
///
/// The class has its own table of non-public ranges, because the predicates of `InetAddress` miss
/// some of them: carrier-grade NAT and the unique local, benchmarking, documentation and transition
/// ranges. Immutable.
public final class AddressPolicy {

    /// The text that every refusal message contains.
    public static final String REFUSAL_MESSAGE = "must not point to a private or internal address";

    /// The name of the setting in which the operator lists allowed ranges. Refusal messages mention
    /// it.
    public static final String SETTING_NAME = "SLUICE_ALLOW_PRIVATE_DESTINATIONS";

    /// Addresses at which cloud providers serve credentials. To allow such an address, the operator
    /// must list a range that contains it and is no larger than its range here. Allowing a larger
    /// network is not enough.
    private static final List<NamedRange> CREDENTIAL_RANGES =
            List.of(
                    range("link-local", "169.254.0.0/16"),
                    range("link-local", "fe80::/10"),
                    range("cloud metadata", "168.63.129.16"),
                    range("cloud metadata", "100.100.100.200"),
                    range("cloud metadata", "192.0.0.192"),
                    range("cloud metadata", "fd00:ec2::254"),
                    range("cloud metadata", "fd00:ec2::23"),
                    range("cloud metadata", "fd20:ce::254"),
                    range("cloud metadata", "fd00:42::42"));

    /// Ranges of non-public addresses (RFC 6890 and the IANA special-purpose address registries).
    private static final List<NamedRange> SPECIAL_PURPOSE_RANGES =
            List.of(
                    range("this network", "0.0.0.0/8"),
                    range("private network", "10.0.0.0/8"),
                    range("carrier-grade NAT", "100.64.0.0/10"),
                    range("loopback", "127.0.0.0/8"),
                    range("private network", "172.16.0.0/12"),
                    range("protocol assignments", "192.0.0.0/24"),
                    range("documentation", "192.0.2.0/24"),
                    range("AS112", "192.31.196.0/24"),
                    range("multicast tunnels", "192.52.193.0/24"),
                    range("6to4 relays", "192.88.99.0/24"),
                    range("private network", "192.168.0.0/16"),
                    range("AS112", "192.175.48.0/24"),
                    range("benchmarking", "198.18.0.0/15"),
                    range("documentation", "198.51.100.0/24"),
                    range("documentation", "203.0.113.0/24"),
                    range("multicast", "224.0.0.0/4"),
                    range("reserved", "240.0.0.0/4"),
                    range("unspecified", "::"),
                    range("loopback", "::1"),
                    range("unique local", "fc00::/7"),
                    range("multicast", "ff00::/8"),
                    range("protocol assignments", "2001::/23"),
                    range("documentation", "2001:db8::/32"),
                    range("6to4", "2002::/16"),
                    range("AS112", "2620:4f:8000::/48"),
                    range("documentation", "3fff::/20"));

    /// The only IPv6 block with public addresses (IANA IPv6 address space registry).
    /// IPv4-translated and IPv4-compatible IPv6 addresses are outside it.
    private static final Cidr GLOBAL_UNICAST = Cidr.parse("2000::/3");

    private static final Cidr IPV4_LOOPBACK = Cidr.parse("127.0.0.0/8");

    private final List<Cidr> allowed;

    private AddressPolicy(List<Cidr> allowed) {
        this.allowed = allowed;
    }

    /// Returns a policy that allows public addresses and those in `ranges`, with the restriction
    /// that `CREDENTIAL_RANGES` describes. If one of the ranges contains all of `127.0.0.0/8`,
    /// `::1` is also allowed.
    public static AddressPolicy allowing(List<Cidr> ranges) {
        var allowed = new ArrayList<>(ranges);
        if (ranges.stream().anyMatch(range -> range.covers(IPV4_LOOPBACK))) {
            allowed.add(Cidr.parse("::1"));
        }
        return new AddressPolicy(List.copyOf(allowed));
    }

    /// Returns the name of the forbidden range that contains the address, or empty when the address
    /// is allowed.
    public Optional<String> refusal(InetAddress address) {
        var bits = AddressBits.of(address);
        for (var range : CREDENTIAL_RANGES) {
            if (range.cidr().contains(bits)) {
                return isAllowedWithin(range.cidr(), bits)
                        ? Optional.empty()
                        : Optional.of(range.name());
            }
        }
        if (isAllowed(bits)) {
            return Optional.empty();
        }
        for (var range : SPECIAL_PURPOSE_RANGES) {
            if (range.cidr().contains(bits)) {
                return Optional.of(range.name());
            }
        }
        return bits.isV6() && !GLOBAL_UNICAST.contains(bits)
                ? Optional.of("not global unicast")
                : Optional.empty();
    }

    /// Returns why a host may not be saved as a destination, or empty when it may.
    ///
    /// Host names are not resolved here. If the operator has allowed no range, a name that is
    /// reserved for internal networks is refused. Otherwise, the name is accepted here, and each
    /// delivery attempt checks the addresses that the name resolves to.
    public Optional<String> refusal(Host host) {
        return switch (host) {
            case Host.IpLiteral(var address) -> refusal(address);
            case Host.HostName(var name) ->
                    allowed.isEmpty() && isInternal(name)
                            ? Optional.of("internal name")
                            : Optional.empty();
        };
    }

    /// Whether the name is a domain that is reserved for internal networks, or is under one:
    /// `localhost` (RFC 6761), `local` (RFC 6762), `home.arpa` (RFC 8375), or `internal` (reserved
    /// by ICANN for private use).
    private static boolean isInternal(String name) {
        return isUnder(name, "localhost")
                || isUnder(name, "local")
                || isUnder(name, "internal")
                || isUnder(name, "home.arpa");
    }

    private static boolean isUnder(String name, String domain) {
        return name.endsWith(domain)
                && (name.length() == domain.length()
                        || name.charAt(name.length() - domain.length() - 1) == '.');
    }

    private boolean isAllowed(AddressBits address) {
        for (var range : allowed) {
            if (range.contains(address)) {
                return true;
            }
        }
        return false;
    }

    private boolean isAllowedWithin(Cidr guarded, AddressBits address) {
        for (var range : allowed) {
            if (guarded.covers(range) && range.contains(address)) {
                return true;
            }
        }
        return false;
    }

    private static NamedRange range(String name, String cidr) {
        return new NamedRange(name, Cidr.parse(cidr));
    }

    private record NamedRange(String name, Cidr cidr) {}
}
