package dev.sluice.engine;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.HeaderSyntax;

import java.util.List;

/// Detects events that relays send around in a loop. A header contains the number of relays that an
/// event has already passed through, and each relay increases this number by one. In Sluice,
/// `OutboundHeaderBuilder` increases the number, and `IngestEndpoint` stops an event that has
/// passed through too many relays.
public final class LoopDetector {

    /// The maximum number of relays that an event may pass through. An event beyond this limit is
    /// stored but not delivered. Without this limit, a relay that sends to itself would fill the
    /// disk.
    private static final int MAX_HOPS = 5;

    private static final int MAX_DIGITS = 6;

    private LoopDetector() {}

    /// Whether an event with these headers has passed through so many relays that it is probably in
    /// a loop.
    public static boolean isInLoop(List<Header> headers, String name) {
        return countHops(headers, name) > MAX_HOPS;
    }

    /// Returns the largest number in any header called `name`. The case of header names is ignored,
    /// and `_` is treated as `-`. Because the largest number counts, a relay in the loop cannot
    /// lower the count by adding a second header with that name. A value that is not a number of at
    /// most six digits counts as 0. Returns 0 if no header has the name.
    public static int countHops(List<Header> headers, String name) {
        int hops = 0;
        for (var header : headers) {
            if (HeaderSyntax.isSameFolded(header.name(), name)) {
                hops = Math.max(hops, parse(header.value().strip()));
            }
        }
        return hops;
    }

    private static int parse(String text) {
        boolean isNumber =
                !text.isEmpty()
                        && text.length() <= MAX_DIGITS
                        && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return isNumber ? Integer.parseInt(text) : 0;
    }
}
