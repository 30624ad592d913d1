package dev.sluice.engine;

/// The reason why an inbound request failed its source's verification. It is shown to the source's
/// workspace; the sender gets only a 401. The database stores each constant's number.
public enum VerificationReason {
    SIGNATURE_MISSING(1, "The header with the signature is missing."),
    SIGNATURE_REPEATED(2, "The header with the signature occurs more than once."),
    SIGNATURE_MALFORMED(3, "The header with the signature is malformed."),
    SIGNATURE_MISMATCH(
            4,
            "The signature does not match: it was made with another secret, or what it covers was"
                    + " changed on the way."),
    BODY_NOT_SIGNED(5, "The signature does not cover the body."),
    TIMESTAMP_MISSING(6, "The timestamp is missing."),
    TIMESTAMP_REPEATED(7, "The header with the timestamp occurs more than once."),
    TIMESTAMP_MALFORMED(8, "The timestamp is not a time in Unix seconds or milliseconds."),
    TIMESTAMP_TOO_OLD(9, "The timestamp is older than the tolerance allows."),
    TIMESTAMP_IN_FUTURE(10, "The timestamp is further in the future than the tolerance allows."),
    MESSAGE_ID_MISSING(11, "The header with the message id is missing."),
    MESSAGE_ID_REPEATED(12, "The header with the message id occurs more than once."),
    CREDENTIAL_MISSING(13, "The header with the credential is missing."),
    CREDENTIAL_REPEATED(14, "The header with the credential occurs more than once."),
    CREDENTIAL_MALFORMED(15, "The header with the credential is not valid Basic authentication."),
    CREDENTIAL_WRONG(16, "The credential is wrong."),
    CONFIG_UNREADABLE(
            17,
            "The source's verification_config cannot be read here. Set it again to accept"
                    + " requests.");

    private final short number;
    private final String sentence;

    VerificationReason(int number, String sentence) {
        this.number = (short) number;
        this.sentence = sentence;
    }

    public short number() {
        return number;
    }

    public static VerificationReason fromNumber(int number) {
        return values()[number - 1];
    }

    public String sentence() {
        return sentence;
    }
}
