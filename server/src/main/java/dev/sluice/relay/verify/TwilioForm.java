package dev.sluice.relay.verify;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.relay.VerificationReason;

import java.net.URLDecoder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// What Twilio signs behind the URL: of a form, its fields sorted by name, each name followed by
/// its values, without anything between. Any other body is signed by its SHA-256 in the URL's
/// `bodySHA256` (Twilio documentation, "Validating requests").
final class TwilioForm {

    private static final String BODY_HASH = "bodySHA256=";

    private TwilioForm() {}

    static String signed(Inbound inbound) throws Refused {
        int query = inbound.url().indexOf('?');
        for (String parameter : inbound.url().substring(query + 1).split("&", -1)) {
            if (query >= 0 && parameter.startsWith(BODY_HASH)) {
                requireHash(parameter.substring(BODY_HASH.length()), inbound.body());
                return "";
            }
        }
        if (isForm(inbound)) {
            return fields(new String(inbound.body(), UTF_8));
        }
        if (inbound.body().length > 0) {
            throw new Refused(VerificationReason.BODY_NOT_SIGNED);
        }
        return "";
    }

    private static void requireHash(String hex, byte[] body) throws Refused {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(body);
            if (!MessageDigest.isEqual(hash, HexFormat.of().parseHex(hex))) {
                throw new Refused(VerificationReason.SIGNATURE_MISMATCH);
            }
        } catch (IllegalArgumentException e) {
            throw new Refused(VerificationReason.SIGNATURE_MALFORMED);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static boolean isForm(Inbound inbound) {
        return inbound.headers().stream()
                .filter(header -> header.isNamed("Content-Type"))
                .anyMatch(header ->
                        header.value()
                                .toLowerCase(Locale.ROOT)
                                .startsWith("application/x-www-form-urlencoded"));
    }

    private static String fields(String body) throws Refused {
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
            throw new Refused(VerificationReason.BODY_NOT_SIGNED);
        }
        var signed = new StringBuilder();
        for (Map.Entry<String, TreeSet<String>> field : fields.entrySet()) {
            field.getValue().forEach(value -> signed.append(field.getKey()).append(value));
        }
        return signed.toString();
    }
}
