package dev.sluice.relay.send;

import dev.sluice.relay.ErrorCode;

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

import javax.net.ssl.SSLException;

/// An attempt that came to no answer, on its way up to where it becomes an outcome.
final class Failure extends Exception {

    private final ErrorCode code;
    private final String detail;

    Failure(ErrorCode code, String detail) {
        super(detail, null, false, false);
        this.code = code;
        this.detail = detail;
    }

    /// What an exception means for an attempt that is where this one is.
    static Failure of(Exception e, Deadline attempt) {
        if (attempt.isOver() || e instanceof SocketTimeoutException) {
            return attempt.timedOut();
        }
        if (Thread.currentThread().isInterrupted()) {
            return interrupted();
        }
        return switch (e) {
            case SSLException broken -> tls(broken);
            case ConnectException refused -> unconnected(refused);
            case NoRouteToHostException _ ->
                    new Failure(ErrorCode.CONNECT_REFUSED, "No route to the host");
            case NoHttpResponseException _ ->
                    new Failure(
                            ErrorCode.CONNECTION_RESET,
                            "The connection was closed without an answer");
            case TruncatedChunkException _, ConnectionClosedException _ ->
                    new Failure(
                            ErrorCode.CONNECTION_RESET,
                            "The connection was closed before the answer ended");
            case HttpException invalid -> invalid(invalid);
            case MessageConstraintException invalid -> invalid(invalid);
            case MalformedChunkCodingException invalid -> invalid(invalid);
            case SocketException _ when attempt.isIn(Deadline.Phase.HANDSHAKE) ->
                    new Failure(
                            ErrorCode.CONNECTION_RESET,
                            "The connection was reset during the TLS handshake");
            default -> new Failure(ErrorCode.CONNECTION_RESET, "The connection was reset");
        };
    }

    static Failure interrupted() {
        return new Failure(ErrorCode.INTERRUPTED, "The server stopped during the attempt");
    }

    private static Failure unconnected(ConnectException e) {
        String message = String.valueOf(e.getMessage());
        if (message.contains("timed out")) {
            return new Failure(ErrorCode.CONNECT_TIMEOUT, "The host did not take the connection");
        }
        return new Failure(
                ErrorCode.CONNECT_REFUSED,
                message.contains("unreachable") ? "Network unreachable" : "Connection refused");
    }

    private static Failure invalid(Exception e) {
        return new Failure(
                ErrorCode.INVALID_RESPONSE, "The answer is not valid HTTP: " + e.getMessage());
    }

    private static Failure tls(SSLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException) {
                return untrusted("has expired");
            }
            if (cause instanceof CertificateNotYetValidException) {
                return untrusted("is not valid yet");
            }
            if (cause instanceof SocketException) {
                return new Failure(ErrorCode.CONNECTION_RESET, "The connection was reset");
            }
        }
        String message = String.valueOf(e.getMessage());
        if (message.contains("No subject alternative") || message.contains("No name matching")) {
            return untrusted("is not for this host name");
        }
        if (message.contains("valid certification path")) {
            return untrusted("is not signed by an authority that this server trusts");
        }
        return new Failure(ErrorCode.TLS_FAILED, "TLS failed: " + message);
    }

    private static Failure untrusted(String why) {
        return new Failure(ErrorCode.TLS_FAILED, "The certificate " + why);
    }

    ErrorCode code() {
        return code;
    }

    /// One sentence for the attempt's record.
    String detail() {
        return detail;
    }
}
