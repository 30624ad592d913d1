package dev.sluice.platform.json;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// Tests that numbers compare as `BigDecimal` compares them, and cannot be read where it cannot
/// read them.
class JsonNumberTest {

    private static final List<String> EXPONENTS =
            List.of(
                    "",
                    "",
                    "e0",
                    "E+3",
                    "e-2",
                    "e00000000000012",
                    "e2147483647",
                    "e-2147483648",
                    "e2147483648",
                    "e-2147483647",
                    "e99999999999",
                    "e-00099999999999");

    private static String generated(Random random) {
        var text = new StringBuilder(random.nextBoolean() ? "-" : "");
        text.append(random.nextBoolean() ? "0" : "1" + digits(random));
        if (random.nextBoolean()) {
            text.append('.').append(random.nextBoolean() ? "0" : "1").append(digits(random));
        }
        return text + EXPONENTS.get(random.nextInt(EXPONENTS.size()));
    }

    private static String digits(Random random) {
        var digits = new StringBuilder();
        for (int left = random.nextInt(4); left > 0; left--) {
            digits.append(random.nextInt(2));
        }
        return digits.toString();
    }

    private static Optional<BigDecimal> decimal(String text) {
        try {
            return Optional.of(new BigDecimal(text));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<JsonNumber> number(String text) {
        return JsonNumber.read((text + ",9").getBytes(ISO_8859_1), 0);
    }

    @Test
    void numbers_compare_as_decimals_do() {
        var random = new Random(11);
        for (int round = 0; round < 50_000; round++) {
            String left = generated(random);
            String right = generated(random);
            var mine = number(left);
            var theirs = number(right);
            var expectedLeft = decimal(left);
            var expectedRight = decimal(right);

            assertThat(mine.isPresent()).as(left).isEqualTo(expectedLeft.isPresent());
            if (mine.isPresent() && theirs.isPresent() && expectedRight.isPresent()) {
                int order = expectedLeft.orElseThrow().compareTo(expectedRight.get());
                assertThat(Integer.signum(mine.get().compareTo(theirs.get())))
                        .as("%s and %s", left, right)
                        .isEqualTo(order);
                if (order == 0) {
                    assertThat(mine.get()).hasSameHashCodeAs(theirs.get());
                }
            }
        }
    }
}
