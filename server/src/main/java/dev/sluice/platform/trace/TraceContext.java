package dev.sluice.platform.trace;

import java.util.Optional;
import java.util.regex.Pattern;

/// The position of a span in its trace, as sent in the header `traceparent` (W3C Trace Context,
/// 3.2).
///
/// @param traceId 32 hexadecimal digits
/// @param spanId the id of the span, 16 hexadecimal digits; its child spans use it as their parent
///   id
/// @param isSampled whether spans of this trace are recorded
public record TraceContext(String traceId, String spanId, boolean isSampled) {

    public static final String HEADER = "traceparent";

    /// The header in which tracing systems send data in addition to `traceparent`. It has no
    /// meaning without a `traceparent`.
    public static final String STATE_HEADER = "tracestate";

    /// The format of `traceparent`. A later version of the format may have more parts, which are
    /// ignored. Version `ff` is forbidden.
    private static final Pattern FORMAT =
            Pattern.compile(
                    "(?<version>(?!ff)[0-9a-f]{2})"
                            + "-(?<trace>(?!0{32})[0-9a-f]{32})"
                            + "-(?<span>(?!0{16})[0-9a-f]{16})"
                            + "-(?<flags>[0-9a-f]{2})(?<more>-.*)?");

    private static final int SAMPLED = 1;

    /// Parses the value of the header `traceparent`. Returns empty if it is not valid.
    public static Optional<TraceContext> parse(String header) {
        var parts = FORMAT.matcher(header);
        if (!parts.matches()
                || (parts.group("version").equals("00") && parts.group("more") != null)) {
            return Optional.empty();
        }
        int flags = Integer.parseInt(parts.group("flags"), 16);
        return Optional.of(
                new TraceContext(
                        parts.group("trace"), parts.group("span"), (flags & SAMPLED) != 0));
    }

    /// Returns the value of the header `traceparent`.
    public String header() {
        return "00-" + traceId + "-" + spanId + (isSampled ? "-01" : "-00");
    }
}
