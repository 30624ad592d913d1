package dev.sluice.gateway.source;

import java.math.BigInteger;
import java.util.HexFormat;
import java.util.Set;

/// Checks the text of an Ed25519 public key, which encodes a point on a curve (RFC 8032, section
/// 5.1.2).
final class Ed25519PublicKey {

    /// The prime of the field in which the coordinates lie.
    private static final BigInteger PRIME =
            BigInteger.TWO.pow(255).subtract(BigInteger.valueOf(19));

    /// The `y` coordinates of the eight points whose order divides 8. If the key is one of these
    /// points, anyone can create a signature that is valid for every message, or for one message in
    /// eight.
    private static final Set<BigInteger> SMALL_ORDER =
            Set.of(
                    BigInteger.ZERO,
                    BigInteger.ONE,
                    PRIME.subtract(BigInteger.ONE),
                    new BigInteger(
                            "05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16),
                    new BigInteger(
                            "7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7",
                            16));

    private static final int SIGN_BIT = 255;

    private Ed25519PublicKey() {}

    /// Whether the text is 64 hexadecimal digits.
    static boolean isWellFormed(String hex) {
        return hex.matches("[0-9a-fA-F]{64}");
    }

    /// Whether the key is a point of small order, or has an encoding that no signer produces.
    ///
    /// @param hex a well-formed key
    static boolean isWeak(String hex) {
        byte[] littleEndian = HexFormat.of().parseHex(hex);
        byte[] bigEndian = new byte[littleEndian.length];
        for (int i = 0; i < bigEndian.length; i++) {
            bigEndian[i] = littleEndian[bigEndian.length - 1 - i];
        }
        var y = new BigInteger(1, bigEndian).clearBit(SIGN_BIT);
        return y.compareTo(PRIME) >= 0 || SMALL_ORDER.contains(y);
    }
}
