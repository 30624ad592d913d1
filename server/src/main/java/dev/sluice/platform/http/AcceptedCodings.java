package dev.sluice.platform.http;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// The content codings that a client accepts, from its `Accept-Encoding` headers (RFC 9110, section
/// 12.5.3). Immutable.
final class AcceptedCodings {

    private static final String ANY = "*";

    /// A weight is a number from 0 to 1 (RFC 9110, section 12.4.2).
    private static final Pattern WEIGHT =
            Pattern.compile("q=(0(?:\\.[0-9]{0,3})?|1(?:\\.0{0,3})?)", Pattern.CASE_INSENSITIVE);

    private final Map<String, Double> weights;

    private AcceptedCodings(Map<String, Double> weights) {
        this.weights = weights;
    }

    /// Parses the values of a request's `Accept-Encoding` headers. A coding with a malformed weight
    /// counts as refused.
    static AcceptedCodings of(List<String> values) {
        var weights = new HashMap<String, Double>();
        for (String value : values) {
            for (String element : value.split(",", -1)) {
                var parts = element.strip().split(";", 2);
                String coding = parts[0].strip().toLowerCase(Locale.ROOT);
                weights.put(
                        coding.equals("x-gzip") ? "gzip" : coding,
                        parts.length < 2 ? 1 : weight(parts[1].strip()));
            }
        }
        return new AcceptedCodings(weights);
    }

    private static double weight(String parameter) {
        var matcher = WEIGHT.matcher(parameter);
        return matcher.matches() ? Double.parseDouble(matcher.group(1)) : 0;
    }

    /// Returns whether the client accepts gzip and does not prefer `identity`, which stands for an
    /// unencoded body.
    boolean prefersGzip() {
        double gzip = weightOf("gzip").orElse(0.0);
        return gzip > 0 && gzip >= weightOf("identity").orElse(0.0);
    }

    private Optional<Double> weightOf(String coding) {
        return Optional.ofNullable(weights.get(coding))
                .or(() -> Optional.ofNullable(weights.get(ANY)));
    }
}
