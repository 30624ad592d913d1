package dev.sluice.platform.json;

import java.util.Optional;

/// A JSON number, kept as written, with all its digits. The time it takes to compare two numbers is
/// proportional to how many digits they have, however large their exponents are. Immutable.
public final class JsonNumber implements Comparable<JsonNumber> {

    private final byte[] text;

    /// The offset of the first nonzero digit. The significant digits, possibly with a decimal point
    /// among them, begin at this offset and end before the offset `end`. If the number is 0, the
    /// two offsets are equal.
    private final int first;

    private final int end;

    /// The sign of the number: -1, 0 or 1.
    private final int sign;

    /// The power of ten of the first nonzero digit. For the number 150, this is 2, because the
    /// digit 1 stands for 100. For the number 0, this is 0.
    private final long magnitude;

    private final int writtenLength;

    private JsonNumber(
            byte[] text, int first, int end, int sign, long magnitude, int writtenLength) {
        this.text = text;
        this.first = first;
        this.end = end;
        this.sign = sign;
        this.magnitude = magnitude;
        this.writtenLength = writtenLength;
    }

    /// Reads the number that begins at `from`. Returns empty when its scale, which is the number of
    /// digits after the decimal point minus the exponent, does not fit in 32 bits.
    ///
    /// @param text valid JSON
    static Optional<JsonNumber> read(byte[] text, int from) {
        boolean isNegative = text[from] == '-';
        int first = -1;
        int last = -1;
        int point = -1;
        int mantissaEnd = isNegative ? from + 1 : from;
        for (; mantissaEnd < text.length; mantissaEnd++) {
            byte next = text[mantissaEnd];
            if (next == '.') {
                point = mantissaEnd;
            } else if (next > '0' && next <= '9') {
                first = first < 0 ? mantissaEnd : first;
                last = mantissaEnd;
            } else if (next != '0') {
                break;
            }
        }
        boolean hasExponent = mantissaEnd < text.length && (text[mantissaEnd] | 0x20) == 'e';
        long exponent = hasExponent ? exponent(text, mantissaEnd + 1) : 0;
        int integerEnd = point < 0 ? mantissaEnd : point;
        long scale = (point < 0 ? 0 : mantissaEnd - point - 1) - exponent;
        if ((int) scale != scale) {
            return Optional.empty();
        }
        if (first < 0) {
            return Optional.of(new JsonNumber(text, from, from, 0, 0, mantissaEnd - from));
        }
        int power = first < integerEnd ? integerEnd - first - 1 : integerEnd - first;
        return Optional.of(
                new JsonNumber(
                        text,
                        first,
                        last + 1,
                        isNegative ? -1 : 1,
                        exponent + power,
                        mantissaEnd - from));
    }

    /// Returns the exponent. If the exponent has too many digits, returns an arbitrary number far
    /// outside the range of 32 bits.
    private static long exponent(byte[] text, int from) {
        long exponent = 0;
        boolean isNegative = text[from] == '-';
        for (int at = isNegative || text[from] == '+' ? from + 1 : from;
                at < text.length
                        && text[at] >= '0'
                        && text[at] <= '9'
                        && exponent < 10_000_000_000L;
                at++) {
            exponent = 10 * exponent + text[at] - '0';
        }
        return isNegative ? -exponent : exponent;
    }

    /// Returns how many bytes the number has as written, without its exponent.
    int writtenLength() {
        return writtenLength;
    }

    @Override
    public int compareTo(JsonNumber other) {
        if (sign != other.sign || sign == 0) {
            return Integer.compare(sign, other.sign);
        }
        return magnitude == other.magnitude
                ? sign * compareDigits(other)
                : sign * Long.compare(magnitude, other.magnitude);
    }

    private int compareDigits(JsonNumber other) {
        int mine = first;
        int theirs = other.first;
        while (mine < end && theirs < other.end) {
            if (text[mine] == '.') {
                mine++;
            } else if (other.text[theirs] == '.') {
                theirs++;
            } else if (text[mine] != other.text[theirs]) {
                return text[mine] - other.text[theirs];
            } else {
                mine++;
                theirs++;
            }
        }
        // The last significant digit of a number is not 0, so the number with more digits left is
        // larger in magnitude.
        return Integer.compare(end - mine, other.end - theirs);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof JsonNumber number && compareTo(number) == 0;
    }

    @Override
    public int hashCode() {
        int hash = 31 * sign + Long.hashCode(magnitude);
        for (int at = first; at < end; at++) {
            if (text[at] != '.') {
                hash = 31 * hash + text[at];
            }
        }
        return hash;
    }
}
