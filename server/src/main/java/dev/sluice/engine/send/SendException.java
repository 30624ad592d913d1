package dev.sluice.engine.send;

import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.SentEvidence;

import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.TruncatedChunkException;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.regex.Pattern;

import javax.net.ssl.SSLException;

/// Thrown when an attempt gets no usable response. [HttpSender] converts the exception to an
/// `AttemptError`.
final class SendException extends Exception {

    private static final int MAX_QUOTED_CHARS = 200;
    private static final Pattern UNSAFE_CHARACTER =
            Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");

    private final ErrorCode code;
    private final String detail;

    SendException(ErrorCode code, String detail) {
        super(detail, null, false, false);
        this.code = code;
        this.detail = detail;
    }

    /// Converts an exception to a failure. The failure's error code depends on the exception's
    /// type, on whether the deadline has passed or the thread was interrupted, and on the attempt's
    /// phase.
    static SendException of(Exception e, Deadline deadline) {
        if (deadline.isExpired() || e instanceof SocketTimeoutException) {
            return deadline.timeoutFailure();
        }
        if (Thread.currentThread().isInterrupted()) {
            return interrupted();
        }
        return switch (e) {
            case SSLException broken -> tlsFailure(broken);
            case ConnectException refused -> connectFailure(refused);
            case NoRouteToHostException _ ->
                    new SendException(ErrorCode.CONNECT_REFUSED, "No route to the host");
            case NoHttpResponseException _ ->
                    new SendException(
                            ErrorCode.CONNECTION_RESET,
                            "The connection was closed without a response");
            case TruncatedChunkException _, ConnectionClosedException _ ->
                    new SendException(ErrorCode.CONNECTION_RESET, SentEvidence.CLOSED_IN_RESPONSE);
            case HttpException invalid -> invalidResponse(invalid);
            case MessageConstraintException invalid -> invalidResponse(invalid);
            case MalformedChunkCodingException invalid -> invalidResponse(invalid);
            case SocketException _ when deadline.isIn(Deadline.AttemptPhase.TLS_HANDSHAKE) ->
                    new SendException(ErrorCode.CONNECTION_RESET, SentEvidence.RESET_IN_HANDSHAKE);
            default -> new SendException(ErrorCode.CONNECTION_RESET, "The connection was reset");
        };
    }

    static SendException interrupted() {
        return new SendException(ErrorCode.INTERRUPTED, "The server stopped during the attempt");
    }

    private static SendException connectFailure(ConnectException e) {
        String message = String.valueOf(e.getMessage());
        if (message.contains("timed out")) {
            return new SendException(
                    ErrorCode.CONNECT_TIMEOUT, "The host did not accept the connection");
        }
        return new SendException(
                ErrorCode.CONNECT_REFUSED,
                message.contains("unreachable") ? "Network unreachable" : "Connection refused");
    }

    /// Returns the failure for a response that is not valid HTTP. The library's message may quote
    /// any line of the response, so it is shortened and its control characters are replaced.
    private static SendException invalidResponse(Exception e) {
        return new SendException(
                ErrorCode.INVALID_RESPONSE,
                SentEvidence.INVALID_RESPONSE
                        + quoted(String.valueOf(e.getMessage()), MAX_QUOTED_CHARS));
    }

    /// Returns text that a receiver chose, cut to `maxChars` and with U+FFFD for each control
    /// character and each character that changes the direction of text or is a line end.
    static String quoted(String text, int maxChars) {
        String start = text.substring(0, Math.min(text.length(), maxChars));
        return UNSAFE_CHARACTER.matcher(start).replaceAll("\ufffd");
    }

    private static SendException tlsFailure(SSLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException) {
                return untrustedCertificate("has expired");
            }
            if (cause instanceof CertificateNotYetValidException) {
                return untrustedCertificate("is not valid yet");
            }
            if (cause instanceof SocketException) {
                return new SendException(ErrorCode.CONNECTION_RESET, "The connection was reset");
            }
        }
        String message = String.valueOf(e.getMessage());
        if (message.contains("No subject alternative") || message.contains("No name matching")) {
            return untrustedCertificate("is not for this host name");
        }
        if (message.contains("valid certification path")) {
            return untrustedCertificate("is not signed by an authority that this server trusts");
        }
        return new SendException(ErrorCode.TLS_FAILED, "TLS failed: " + message);
    }

    private static SendException untrustedCertificate(String why) {
        return new SendException(ErrorCode.TLS_FAILED, "The certificate " + why);
    }

    ErrorCode code() {
        return code;
    }

    /// Returns one sentence that is stored with the attempt.
    String detail() {
        return detail;
    }
}
