package dev.sluice.platform.mail;

import java.util.Optional;

/// Thrown when a message was not sent, or when the server did not confirm that it accepted the
/// message. The exception's message gives the reason in one sentence for the operator.
public final class MailException extends Exception {

    private final boolean isTemporary;
    private final transient Optional<String> recipientRefusal;

    MailException(String message, boolean isTemporary, Throwable cause) {
        this(message, isTemporary, Optional.empty(), cause);
    }

    MailException(
            String message,
            boolean isTemporary,
            Optional<String> recipientRefusal,
            Throwable cause) {
        super(message, cause);
        this.isTemporary = isTemporary;
        this.recipientRefusal = recipientRefusal;
    }

    /// Whether sending the same message later might succeed.
    public boolean isTemporary() {
        return isTemporary;
    }

    /// Returns the server's reply if it refused the recipient. The reply is meant for the person
    /// who entered the address. Returns empty for any other failure, because such a failure
    /// concerns only the operator.
    public Optional<String> recipientRefusal() {
        return recipientRefusal;
    }
}
