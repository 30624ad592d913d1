package dev.sluice.bench.load;

import dev.sluice.bench.platform.CommandLineException;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/// Makes the JSON of orders that differ as real ones do: ids, times, amounts, a name. The rest is
/// the same in each. More than 100 bytes of each are random and cannot be compressed. Used by one
/// thread.
final class OrderBodies {

    private static final String LETTERS_AND_DIGITS =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    private static final List<String> TYPES =
            List.of("order.paid", "order.created", "order.shipped", "order.refunded");
    private static final List<String> FIRST_NAMES =
            words(
                    "Anna Ben Carla David Elif Finn Greta Hugo Ida Jonas Karin Lars Mia Nils Olga"
                            + " Paul Rosa Sami Tina Yusuf");
    private static final List<String> LAST_NAMES =
            words(
                    "Adler Bauer Costa Dahl Evans Fischer Garcia Hansen Ivanova Jensen Keller"
                            + " Lindberg Moreau Novak Olsen Peters Rossi Schmidt Tanaka Weber");
    private static final List<String> CITIES =
            words("Berlin Hamburg Lisbon Lyon Madrid Milan Oslo Porto Prague Turin Vienna Zurich");
    private static final List<String> PRODUCTS =
            words("Backpack Bottle Chair Desk Jacket Kettle Lamp Mug Notebook Scarf Shelf Table");
    private static final String NOTE =
            "Prices include value added tax. Goods can be returned within thirty days. ";

    private final RandomGenerator random;
    private final int size;

    /// @param size bytes of each body
    OrderBodies(RandomGenerator random, int size) {
        this.random = random;
        this.size = size;
    }

    /// Returns a body of [#size] bytes.
    ///
    /// @param start its first fields, from the opening brace to a comma
    byte[] next(String start) {
        String order = start + order();
        int room = size - order.length() - "\"}".length();
        if (room < 0) {
            throw new CommandLineException("--bodies orders needs a --size of 1024 at least");
        }
        String note = NOTE.repeat(1 + room / NOTE.length()).substring(0, room);
        return (order + note + "\"}").getBytes(StandardCharsets.US_ASCII);
    }

    private String order() {
        String firstName = choice(FIRST_NAMES);
        String lastName = choice(LAST_NAMES);
        String name = firstName + " " + lastName;
        String mail = (firstName + "." + lastName).toLowerCase(Locale.ROOT) + digits(2);
        return """
        "type":"%s","created_at":"%s","api_version":"2026-04-01","livemode":true,\
        "order":{"id":"%s","number":"%s","currency":"EUR","total":"%s","paid":true,\
        "customer":{"id":"cus_%s","name":"%s","email":"%s@example.com","phone":"+49%s"},\
        "lines":[%s,%s],\
        "payment":{"id":"%s","method":"card","brand":"visa","last4":"%s","fingerprint":"%s"},\
        "shipping":{"name":"%s","postcode":"%s","city":"%s","country":"DE"}},\
        "trace_id":"%s","note":"\
        """
                .formatted(
                        choice(TYPES),
                        Instant.now().truncatedTo(ChronoUnit.MILLIS),
                        uuid(),
                        digits(8),
                        amount(),
                        token(16),
                        name,
                        mail,
                        digits(9),
                        line(),
                        line(),
                        uuid(),
                        digits(4),
                        token(22),
                        name,
                        digits(5),
                        choice(CITIES),
                        hex(32));
    }

    private String line() {
        return "{\"sku\":\"%s\",\"name\":\"%s\",\"quantity\":%s,\"price\":\"%s\"}"
                .formatted(digits(8), choice(PRODUCTS), 1 + random.nextInt(4), amount());
    }

    private String amount() {
        return (1 + random.nextInt(250)) + "." + digits(2);
    }

    private String uuid() {
        return String.join("-", hex(8), hex(4), "4" + hex(3), "a" + hex(3), hex(12));
    }

    private String hex(int length) {
        return letters("0123456789abcdef", length);
    }

    private String digits(int length) {
        return letters("0123456789", length);
    }

    private String token(int length) {
        return letters(LETTERS_AND_DIGITS, length);
    }

    private String letters(String alphabet, int length) {
        var text = new StringBuilder(length);
        for (int at = 0; at < length; at++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private String choice(List<String> words) {
        return words.get(random.nextInt(words.size()));
    }

    private static List<String> words(String text) {
        return List.of(text.split(" ", -1));
    }
}
