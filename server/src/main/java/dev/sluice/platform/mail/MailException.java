package dev.sluice.platform.mail;

/// A message was not sent. The exception's message says why, in one sentence for the operator.
public final class MailException extends Exception {

    private final boolean isTemporary;

    MailException(String message, boolean isTemporary, Throwable cause) {
        super(message, cause);
        this.isTemporary = isTemporary;
    }

    /// Whether sending the same message later may succeed.
    public boolean isTemporary() {
        return isTemporary;
    }
}
