package dev.sluice.cli.forward;

import dev.sluice.cli.shell.CommandException;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/// Decides which TLS certificates are accepted from the local address that events are sent to.
public final class TargetTls {

    private final SSLSocketFactory sockets;

    private TargetTls(SSLSocketFactory sockets) {
        this.sockets = sockets;
    }

    /// Accepts the certificates that the JVM trusts.
    public static TargetTls verified() {
        return new TargetTls((SSLSocketFactory) SSLSocketFactory.getDefault());
    }

    /// Accepts only the given certificates, and certificates signed by them.
    ///
    /// @param pem certificates in PEM format
    public static TargetTls trusting(byte[] pem) {
        try {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            var certificates =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(pem));
            for (var certificate : certificates) {
                store.setCertificateEntry("ca" + store.size(), certificate);
            }
            if (store.size() == 0) {
                throw noCertificates();
            }
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return of(trust.getTrustManagers());
        } catch (GeneralSecurityException | IOException e) {
            throw noCertificates();
        }
    }

    private static CommandException noCertificates() {
        return CommandException.usage(
                "The file of --ca-file has no certificates.", "Give certificates as PEM.");
    }

    /// Accepts every certificate.
    public static TargetTls unverified() {
        try {
            return of(new TrustManager[] {new TrustEverything()});
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // cannot happen: every JDK has TLS
        }
    }

    private static TargetTls of(TrustManager[] trust) throws GeneralSecurityException {
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust, null);
        return new TargetTls(context.getSocketFactory());
    }

    /// Returns an encrypted connection over the given socket.
    Socket encrypt(Socket socket, ForwardTarget target) throws IOException {
        var encrypted =
                (SSLSocket)
                        sockets.createSocket(socket, target.uri().getHost(), target.port(), true);
        var parameters = encrypted.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        encrypted.setSSLParameters(parameters);
        encrypted.startHandshake();
        return encrypted;
    }

    /// Trusts every certificate. Because this is an `X509ExtendedTrustManager`, the JVM also skips
    /// its check of the host name in the certificate.
    private static final class TrustEverything extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
