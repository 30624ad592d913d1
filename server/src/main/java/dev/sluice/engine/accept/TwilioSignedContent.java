package dev.sluice.engine.accept;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.VerificationReason;
import dev.sluice.platform.secret.Sha256;

import java.net.URLDecoder;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// Builds the text that Twilio appends to the URL before it signs the result (Twilio documentation,
/// "Validating requests").
///
/// If the URL has the parameter `bodySHA256`, the text is empty: the parameter is the SHA-256 hash
/// of the body, so the signed URL already protects the body. Otherwise, only a form or an empty
/// body is accepted. For a form, the text consists of the fields sorted by name. Each field
/// consists of its name followed by its value, without separators. If a name has several values,
/// they are sorted and repeated values are left out.
final class TwilioSignedContent {

    private static final String BODY_HASH_PARAMETER = "bodySHA256=";

    private TwilioSignedContent() {}

    static String of(InboundRequest inbound) throws VerificationException {
        int query = inbound.url().indexOf('?');
        for (String parameter : inbound.url().substring(query + 1).split("&", -1)) {
            if (query >= 0 && parameter.startsWith(BODY_HASH_PARAMETER)) {
                requireHash(parameter.substring(BODY_HASH_PARAMETER.length()), inbound.body());
                return "";
            }
        }
        if (isForm(inbound)) {
            return sortedFields(new String(inbound.body(), UTF_8));
        }
        if (inbound.body().length > 0) {
            throw new VerificationException(VerificationReason.BODY_NOT_SIGNED);
        }
        return "";
    }

    /// Returns the request's URL if [#of] accepts the request, which means that the signature
    /// covers the body. Otherwise returns the URL with the body's hash appended. A wrong hash that
    /// is already in the URL is not replaced.
    static String coveringUrl(InboundRequest inbound) {
        try {
            var _ = of(inbound);
            return inbound.url();
        } catch (VerificationException e) {
            return inbound.url()
                    + (inbound.url().contains("?") ? "&" : "?")
                    + BODY_HASH_PARAMETER
                    + HexFormat.of().formatHex(Sha256.hash(inbound.body()));
        }
    }

    private static void requireHash(String hex, byte[] body) throws VerificationException {
        try {
            if (!MessageDigest.isEqual(Sha256.hash(body), HexFormat.of().parseHex(hex))) {
                throw new VerificationException(VerificationReason.SIGNATURE_MISMATCH);
            }
        } catch (IllegalArgumentException e) {
            throw new VerificationException(VerificationReason.SIGNATURE_MALFORMED);
        }
    }

    private static boolean isForm(InboundRequest inbound) {
        return inbound.headers().stream()
                .filter(header -> header.isNamed("Content-Type"))
                .anyMatch(header ->
                        header.value()
                                .toLowerCase(Locale.ROOT)
                                .startsWith("application/x-www-form-urlencoded"));
    }

    private static String sortedFields(String body) throws VerificationException {
        SortedMap<String, TreeSet<String>> fields = new TreeMap<>();
        try {
            for (String pair : body.split("&", -1)) {
                int equals = pair.indexOf('=');
                String name =
                        URLDecoder.decode(equals < 0 ? pair : pair.substring(0, equals), UTF_8);
                String value =
                        equals < 0 ? "" : URLDecoder.decode(pair.substring(equals + 1), UTF_8);
                if (!pair.isEmpty()) {
                    fields.computeIfAbsent(name, _ -> new TreeSet<>()).add(value);
                }
            }
        } catch (IllegalArgumentException e) {
            throw new VerificationException(VerificationReason.BODY_NOT_SIGNED);
        }
        var signed = new StringBuilder();
        for (Map.Entry<String, TreeSet<String>> field : fields.entrySet()) {
            field.getValue().forEach(value -> signed.append(field.getKey()).append(value));
        }
        return signed.toString();
    }
}
