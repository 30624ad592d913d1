package dev.sluice.relay.verify;

import dev.sluice.relay.VerificationReason;
import dev.sluice.relay.verify.Scheme.Encoding;
import dev.sluice.relay.verify.Scheme.Layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What a signature header holds.
///
/// @param candidates decoded; at least one, at most 16, of which any may match
/// @param timestamp where the header has one
record SignatureValue(List<byte[]> candidates, Optional<String> timestamp) {

    private static final int MOST_CANDIDATES = 16;

    SignatureValue {
        candidates = List.copyOf(candidates);
    }

    static SignatureValue read(String value, Layout layout, Encoding encoding) throws Refused {
        return switch (layout) {
            case Layout.Prefixed(String prefix, boolean isRequired) -> {
                boolean hasPrefix = value.startsWith(prefix);
                if (isRequired && !hasPrefix) {
                    throw malformed();
                }
                String bare = hasPrefix ? value.substring(prefix.length()) : value;
                yield of(List.of(bare), Optional.empty(), encoding);
            }
            case Layout.Pairs pairs -> pairs(value, pairs, encoding);
            case Layout.Versioned(String version) -> {
                var texts = new ArrayList<String>();
                for (String item : value.split(" ", -1)) {
                    if (item.startsWith(version + ",")) {
                        texts.add(item.substring(version.length() + 1));
                    }
                }
                yield of(texts, Optional.empty(), encoding);
            }
        };
    }

    /// Unknown names are left alone; two timestamps are not: which one was signed?
    private static SignatureValue pairs(String value, Layout.Pairs layout, Encoding encoding)
            throws Refused {
        var texts = new ArrayList<String>();
        Optional<String> timestamp = Optional.empty();
        for (String pair : value.split(String.valueOf(layout.separator()), -1)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? "" : pair.substring(0, equals).strip();
            String text = pair.substring(equals + 1);
            if (name.equals(layout.signature())) {
                texts.add(text);
            } else if (name.equals(layout.timestamp())) {
                if (timestamp.isPresent()) {
                    throw malformed();
                }
                timestamp = Optional.of(text);
            }
        }
        return of(texts, timestamp, encoding);
    }

    private static SignatureValue of(
            List<String> texts, Optional<String> timestamp, Encoding encoding) throws Refused {
        var candidates =
                texts.stream()
                        .limit(MOST_CANDIDATES)
                        .flatMap(text -> encoding.decode(text).stream())
                        .filter(bytes -> bytes.length > 0)
                        .toList();
        if (candidates.isEmpty()) {
            throw malformed();
        }
        return new SignatureValue(candidates, timestamp);
    }

    private static Refused malformed() {
        return new Refused(VerificationReason.SIGNATURE_MALFORMED);
    }
}
