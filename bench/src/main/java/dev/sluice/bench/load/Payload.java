package dev.sluice.bench.load;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The request to one source, made once; each sending only changes its marker. Used by one thread.
///
/// The body has what a careless relay changes: an escaped NUL, a number with a trailing zero,
/// letters outside ASCII.
final class Payload {

    static final int LEAST = 128;

    private static final int DIGITS = 16;

    /// Of the marker's first digits, which tell the source.
    private static final long PER_SOURCE = 1_000_000_000_000L;

    private static final int DIGEST = 64;
    private static final String SIGNATURE = "X-Signature: ";
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final SplittableRandom random;
    private final byte[] request;
    private final int bodyAt;
    private final int markerAt;
    private final Optional<Mac> mac;
    private long number;

    private Payload(
            SplittableRandom random, byte[] request, int bodyAt, Optional<Mac> mac, int place) {
        this.number = place * PER_SOURCE;
        this.random = random;
        this.request = request;
        this.bodyAt = bodyAt;
        this.markerAt = bodyAt + "{\"marker\":\"".length();
        this.mac = mac;
    }

    /// @param place of the source in the plan
    static Payload to(Plan plan, int place, SplittableRandom random) {
        URI ingest = plan.ingests().get(place);
        int bodySize = plan.size(place);
        String start =
                "{\"marker\":\"%s-%s\",\"exact\":1.10,\"text\":\"\\u0000 é €\",\"filler\":\""
                        .formatted("0".repeat(DIGITS), "0".repeat(DIGITS));
        var body = new StringBuilder(start);
        int room = bodySize - start.getBytes(StandardCharsets.UTF_8).length - "\"}".length();
        for (int at = 0; at < room; at++) {
            body.append((char) ('a' + random.nextInt(26)));
        }
        body.append("\"}");
        Optional<Mac> mac = plan.secret().map(Payload::mac);
        String head =
                """
                POST %s HTTP/1.1
                Host: %s
                User-Agent: sluice-bench
                Content-Type: application/json
                Content-Length: %s
                %s
                """
                        .formatted(
                                ingest.getRawPath(),
                                ingest.getRawAuthority(),
                                Integer.toString(bodySize),
                                mac.isPresent() ? SIGNATURE + "0".repeat(DIGEST) + "\n" : "")
                        .replace("\n", "\r\n");
        byte[] request = (head + body).getBytes(StandardCharsets.UTF_8);
        return new Payload(random, request, head.length(), mac, place);
    }

    /// The next request: the source's place, a running number and a random one make its marker.
    /// Valid until the next call.
    byte[] next() {
        number++;
        long rest = number;
        for (int at = DIGITS - 1; at >= 0; at--) {
            request[markerAt + at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        long noise = random.nextLong();
        for (int at = 0; at < DIGITS; at++) {
            request[markerAt + DIGITS + 1 + at] = HEX[(int) (noise >>> (4 * at)) & 15];
        }
        mac.ifPresent(this::sign);
        return request;
    }

    /// The signature stands last in the head, before the empty line.
    private void sign(Mac key) {
        key.update(request, bodyAt, request.length - bodyAt);
        byte[] digest = key.doFinal();
        int at = bodyAt - 4 - DIGEST;
        for (byte part : digest) {
            request[at++] = HEX[part >> 4 & 15];
            request[at++] = HEX[part & 15];
        }
    }

    private static Mac mac(String secret) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }

    String marker() {
        return new String(request, markerAt, 2 * DIGITS + 1, StandardCharsets.US_ASCII);
    }

    int size() {
        return request.length;
    }

    byte[] body() {
        return Arrays.copyOfRange(request, bodyAt, request.length);
    }
}
