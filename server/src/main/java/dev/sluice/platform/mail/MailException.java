package dev.sluice.platform.mail;

import java.util.Optional;

/// A message was not sent. The exception's message says why, in one sentence for the operator.
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

    /// Whether sending the same message later may succeed.
    public boolean isTemporary() {
        return isTemporary;
    }

    /// Returns what the server said when it refused the recipient, which is for the person who
    /// entered the address. Empty if something else failed, which is for the operator only.
    public Optional<String> recipientRefusal() {
        return recipientRefusal;
    }
}
