package dev.sluice.engine.accept;

import dev.sluice.engine.VerificationReason;
import dev.sluice.engine.signature.SignatureScheme.SignatureEncoding;
import dev.sluice.engine.signature.SignatureScheme.SignatureLayout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The parsed value of a signature header.
///
/// @param candidates 1 to 16 decoded signatures, any of which may match
/// @param timestamp the timestamp's text; empty if the header contains no timestamp
record SignatureHeader(List<byte[]> candidates, Optional<String> timestamp) {

    private static final int MAX_CANDIDATES = 16;

    SignatureHeader {
        candidates = List.copyOf(candidates);
    }

    static SignatureHeader parse(String value, SignatureLayout layout, SignatureEncoding encoding)
            throws VerificationException {
        return switch (layout) {
            case SignatureLayout.PrefixedSignature(String prefix, boolean isRequired) -> {
                boolean hasPrefix = value.startsWith(prefix);
                if (isRequired && !hasPrefix) {
                    throw malformed();
                }
                String bare = hasPrefix ? value.substring(prefix.length()) : value;
                yield of(List.of(bare), Optional.empty(), encoding);
            }
            case SignatureLayout.SignaturePairs pairs -> parsePairs(value, pairs, encoding);
            case SignatureLayout.VersionedSignatures(String version) -> {
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

    /// Parses `name=value` pairs and ignores unknown names. Rejects a second timestamp, because
    /// nothing shows which of the two was signed.
    private static SignatureHeader parsePairs(
            String value, SignatureLayout.SignaturePairs layout, SignatureEncoding encoding)
            throws VerificationException {
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

    private static SignatureHeader of(
            List<String> texts, Optional<String> timestamp, SignatureEncoding encoding)
            throws VerificationException {
        var candidates =
                texts.stream()
                        .limit(MAX_CANDIDATES)
                        .flatMap(text -> encoding.decode(text).stream())
                        .filter(bytes -> bytes.length > 0)
                        .toList();
        if (candidates.isEmpty()) {
            throw malformed();
        }
        return new SignatureHeader(candidates, timestamp);
    }

    private static VerificationException malformed() {
        return new VerificationException(VerificationReason.SIGNATURE_MALFORMED);
    }
}
