package dev.sluice.platform.net;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Which addresses requests on behalf of users may go to: public ones, and what the operator
/// opened.
///
/// Judges by an own table: the JDK's predicates know neither carrier-grade NAT nor unique local,
/// benchmarking, documentation and transition ranges. Immutable.
public final class AddressPolicy {

    /// What every refusal says.
    public static final String REFUSAL = "must not point to a private or internal address";

    /// The operator's setting that opens ranges; refusals name it.
    public static final String SETTING = "SLUICE_ALLOW_PRIVATE_DESTINATIONS";

    /// Where clouds keep credentials. Open only when listed themselves: an operator who opens a
    /// whole network does not mean these.
    private static final List<Range> GUARDED =
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

    /// From the special-purpose registries of IANA.
    private static final List<Range> CLOSED =
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

    /// What lies outside has never been given out; mapped, translated and compatible forms of IPv4
    /// addresses lie there too.
    private static final Cidr GLOBAL_UNICAST = Cidr.parse("2000::/3");

    private static final Cidr LOOPBACK = Cidr.parse("127.0.0.0/8");

    private final List<Cidr> opened;

    private AddressPolicy(List<Cidr> opened) {
        this.opened = opened;
    }

    /// Public addresses and those in `ranges`. Who opens `127.0.0.0/8` opens `::1` too.
    public static AddressPolicy allowing(List<Cidr> ranges) {
        var opened = new ArrayList<>(ranges);
        if (ranges.stream().anyMatch(range -> range.covers(LOOPBACK))) {
            opened.add(Cidr.parse("::1"));
        }
        return new AddressPolicy(List.copyOf(opened));
    }

    /// The name of the forbidden range that the address lies in; empty when it may be reached.
    public Optional<String> refusal(InetAddress address) {
        var bits = Bits.of(address);
        for (var range : GUARDED) {
            if (range.cidr().contains(bits)) {
                return isOpenedWithin(range.cidr(), bits)
                        ? Optional.empty()
                        : Optional.of(range.name());
            }
        }
        if (isOpened(bits)) {
            return Optional.empty();
        }
        for (var range : CLOSED) {
            if (range.cidr().contains(bits)) {
                return Optional.of(range.name());
            }
        }
        return bits.isV6() && !GLOBAL_UNICAST.contains(bits)
                ? Optional.of("not global unicast")
                : Optional.empty();
    }

    /// Why a host may not be saved; empty when it may. Names are not looked up: those that mean the
    /// inside of a network are refused, unless the operator opened something, for then it is the
    /// addresses they resolve to that count.
    public Optional<String> refusal(Host host) {
        return switch (host) {
            case Host.Literal(var address) -> refusal(address);
            case Host.Name(var name) ->
                    opened.isEmpty() && isInternal(name)
                            ? Optional.of("internal name")
                            : Optional.empty();
        };
    }

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

    private boolean isOpened(Bits address) {
        for (var range : opened) {
            if (range.contains(address)) {
                return true;
            }
        }
        return false;
    }

    private boolean isOpenedWithin(Cidr guarded, Bits address) {
        for (var range : opened) {
            if (guarded.covers(range) && range.contains(address)) {
                return true;
            }
        }
        return false;
    }

    private static Range range(String name, String cidr) {
        return new Range(name, Cidr.parse(cidr));
    }

    private record Range(String name, Cidr cidr) {}
}
