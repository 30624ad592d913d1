package dev.sluice.bench.load;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// A request to one source that is built once and then reused. Before each send, the marker and the
/// signature are replaced. If the bodies are orders, the rest of the body is replaced too. Not
/// thread-safe.
///
/// A body that is not an order contains text that a careless relay might change: an escaped NUL, a
/// number with a trailing zero, and characters outside ASCII.
final class LoadRequestTemplate {

    static final int MIN_BODY_BYTES = 128;

    private static final int MARKER_DIGITS = 16;

    /// The beginning of each body, with zeros in place of the marker.
    private static final String EMPTY_MARKER =
            "{\"marker\":\"%s-%s\"".formatted("0".repeat(MARKER_DIGITS), "0".repeat(MARKER_DIGITS));

    /// The size of each source's range of marker numbers. A marker begins with a number: the
    /// source's position times this constant, plus a counter. The leading digits of that number are
    /// therefore the position.
    private static final long MARKERS_PER_SOURCE = 1_000_000_000_000L;

    private static final int SIGNATURE_DIGITS = 64;
    private static final String SIGNATURE_HEADER = "X-Signature: ";
    private static final byte[] HEX_DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final SplittableRandom random;
    private final byte[] request;
    private final int bodyOffset;
    private final int markerOffset;
    private final Optional<OrderBodies> orders;
    private final Optional<Mac> mac;
    private long number;

    private LoadRequestTemplate(
            SplittableRandom random,
            byte[] request,
            int bodyAt,
            Optional<OrderBodies> orders,
            Optional<Mac> mac,
            int place) {
        this.number = place * MARKERS_PER_SOURCE;
        this.random = random;
        this.request = request;
        this.bodyOffset = bodyAt;
        this.markerOffset = bodyAt + "{\"marker\":\"".length();
        this.orders = orders;
        this.mac = mac;
    }

    /// @param place the position of the source in the plan
    static LoadRequestTemplate forSource(LoadPlan plan, int place, SplittableRandom random) {
        URI ingest = plan.ingests().get(place);
        int bodySize = plan.bodySizeAt(place);
        Optional<OrderBodies> orders =
                plan.bodies() == BodyKind.ORDERS
                        ? Optional.of(new OrderBodies(random, bodySize))
                        : Optional.empty();
        byte[] body =
                orders.map(bodies -> bodies.next(EMPTY_MARKER + ","))
                        .orElseGet(() -> filler(bodySize, random));
        Optional<Mac> mac = plan.secret().map(LoadRequestTemplate::mac);
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
                                mac.isPresent()
                                        ? SIGNATURE_HEADER + "0".repeat(SIGNATURE_DIGITS) + "\n"
                                        : "")
                        .replace("\n", "\r\n");
        byte[] request =
                Arrays.copyOf(head.getBytes(StandardCharsets.US_ASCII), head.length() + bodySize);
        System.arraycopy(body, 0, request, head.length(), bodySize);
        return new LoadRequestTemplate(random, request, head.length(), orders, mac, place);
    }

    private static byte[] filler(int size, SplittableRandom random) {
        var body =
                new StringBuilder(
                        EMPTY_MARKER + ",\"exact\":1.10,\"text\":\"\\u0000 é €\",\"filler\":\"");
        int room = size - body.toString().getBytes(StandardCharsets.UTF_8).length - "\"}".length();
        for (int at = 0; at < room; at++) {
            body.append((char) ('a' + random.nextInt(26)));
        }
        return body.append("\"}").toString().getBytes(StandardCharsets.UTF_8);
    }

    /// Returns the next request. Its marker consists of the source's position, a counter and a
    /// random number. The returned array is reused, so it is valid only until the next call.
    byte[] next() {
        orders.ifPresent(bodies -> {
            byte[] body = bodies.next(EMPTY_MARKER + ",");
            System.arraycopy(body, 0, request, bodyOffset, body.length);
        });
        number++;
        long rest = number;
        for (int at = MARKER_DIGITS - 1; at >= 0; at--) {
            request[markerOffset + at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        long noise = random.nextLong();
        for (int at = 0; at < MARKER_DIGITS; at++) {
            request[markerOffset + MARKER_DIGITS + 1 + at] =
                    HEX_DIGITS[(int) (noise >>> (4 * at)) & 15];
        }
        mac.ifPresent(this::sign);
        return request;
    }

    /// Signs the body and writes the signature into the last header, just before the empty line.
    private void sign(Mac key) {
        key.update(request, bodyOffset, request.length - bodyOffset);
        byte[] digest = key.doFinal();
        int at = bodyOffset - 4 - SIGNATURE_DIGITS;
        for (byte part : digest) {
            request[at++] = HEX_DIGITS[part >> 4 & 15];
            request[at++] = HEX_DIGITS[part & 15];
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
        return new String(request, markerOffset, 2 * MARKER_DIGITS + 1, StandardCharsets.US_ASCII);
    }

    int size() {
        return request.length;
    }

    byte[] body() {
        return Arrays.copyOfRange(request, bodyOffset, request.length);
    }
}
