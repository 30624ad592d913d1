package dev.sluice.bench.load;

import dev.sluice.bench.platform.CommandLineException;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.random.RandomGenerator;

/// Creates JSON bodies that look like shop orders. They differ as real orders do, for example in
/// their ids, times, amounts and names; the rest of the text is always the same. More than 100
/// bytes of each order are random and cannot be compressed. Not thread-safe.
final class OrderBodies {

    private static final String HEX_DIGITS = "0123456789abcdef";
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
    private final StringBuilder text;

    /// @param size the size of each body in bytes
    OrderBodies(RandomGenerator random, int size) {
        this.random = random;
        this.size = size;
        this.text = new StringBuilder(2 * size);
    }

    /// Returns a body of [#size] bytes.
    ///
    /// @param start the first fields of the body, from the opening brace to a comma
    byte[] next(String start) {
        text.setLength(0);
        text.append(start);
        addOrder();
        add(",\"note\":\"");
        int room = size - text.length() - "\"}".length();
        if (room < 0) {
            throw new CommandLineException("--bodies orders needs a --size of 1024 at least");
        }
        for (; room > NOTE.length(); room -= NOTE.length()) {
            add(NOTE);
        }
        text.append(NOTE, 0, room);
        add("\"}");
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private void addOrder() {
        String firstName = choice(FIRST_NAMES);
        String lastName = choice(LAST_NAMES);
        add("\"type\":\"").add(choice(TYPES));
        add("\",\"created_at\":\"").add(Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
        add("\",\"api_version\":\"2026-04-01\",\"livemode\":true");
        add(",\"order\":{\"id\":\"").uuid().add("\",\"number\":\"").digits(8);
        add("\",\"currency\":\"EUR\",\"paid\":true,\"total\":\"").amount();
        add("\",\"customer\":{\"id\":\"cus_").token(16);
        add("\",\"name\":\"").add(firstName).add(" ").add(lastName);
        add("\",\"email\":\"").add(firstName).add(".").add(lastName).digits(2);
        add("@example.com\",\"phone\":\"+49").digits(9);
        add("\"},\"lines\":[").line().add(",").line();
        add("],\"payment\":{\"id\":\"").uuid();
        add("\",\"method\":\"card\",\"brand\":\"visa\",\"last4\":\"").digits(4);
        add("\",\"fingerprint\":\"").token(22);
        add("\"},\"shipping\":{\"name\":\"").add(firstName).add(" ").add(lastName);
        add("\",\"postcode\":\"").digits(5).add("\",\"city\":\"").add(choice(CITIES));
        add("\",\"country\":\"DE\"}},\"trace_id\":\"").characters(HEX_DIGITS, 32).add("\"");
    }

    private OrderBodies line() {
        add("{\"sku\":\"").digits(8).add("\",\"name\":\"").add(choice(PRODUCTS));
        add("\",\"quantity\":").characters("1234", 1);
        return add(",\"price\":\"").amount().add("\"}");
    }

    private OrderBodies amount() {
        text.append(1 + random.nextInt(250));
        return add(".").digits(2);
    }

    private OrderBodies uuid() {
        characters(HEX_DIGITS, 8).add("-").characters(HEX_DIGITS, 4);
        add("-4").characters(HEX_DIGITS, 3).add("-a").characters(HEX_DIGITS, 3);
        return add("-").characters(HEX_DIGITS, 12);
    }

    private OrderBodies digits(int length) {
        return characters("0123456789", length);
    }

    private OrderBodies token(int length) {
        return characters(LETTERS_AND_DIGITS, length);
    }

    private OrderBodies characters(String alphabet, int length) {
        for (int at = 0; at < length; at++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return this;
    }

    private OrderBodies add(String part) {
        text.append(part);
        return this;
    }

    private String choice(List<String> words) {
        return words.get(random.nextInt(words.size()));
    }

    private static List<String> words(String text) {
        return List.of(text.split(" ", -1));
    }
}
