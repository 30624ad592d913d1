package dev.sluice.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// TLS certificates for `receiver.test`, signed by a test authority and made with the keytool of
/// the JDK. The good one is valid for `localhost` too.
public final class Certificates {

    private static final char[] PASSWORD = "changeit".toCharArray();

    private final KeyStore keys;

    private Certificates(KeyStore keys) {
        this.keys = keys;
    }

    /// Creates `good`, `expired`, and `stranger`, which is self-signed.
    public static Certificates make(Path directory)
            throws IOException, InterruptedException, GeneralSecurityException {
        var file = directory.resolve("keys.p12");
        keytool(file, "ca", "-ext", "bc:c");
        keytool(file, "good", "-signer", "ca", "-ext", "san=dns:receiver.test,dns:localhost");
        keytool(
                file,
                "expired",
                "-signer",
                "ca",
                "-ext",
                "san=dns:receiver.test",
                "-startdate",
                "-10d",
                "-validity",
                "5");
        keytool(file, "stranger", "-ext", "san=dns:receiver.test");
        var keys = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD);
        }
        return new Certificates(keys);
    }

    private static void keytool(Path file, String alias, String... options)
            throws IOException, InterruptedException {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-keystore",
                                file.toString(),
                                "-storepass",
                                new String(PASSWORD),
                                "-alias",
                                alias,
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=" + alias));
        command.addAll(List.of(options));
        var keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(keytool.getInputStream().readAllBytes(), UTF_8);
        if (!keytool.waitFor(30, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            throw new IOException("keytool: " + output);
        }
    }

    /// A TLS context for a server that presents this certificate.
    public SSLContext identity(String alias) throws GeneralSecurityException, IOException {
        var own = KeyStore.getInstance("PKCS12");
        own.load(null, null);
        own.setKeyEntry(
                alias, keys.getKey(alias, PASSWORD), PASSWORD, keys.getCertificateChain(alias));
        var managers = KeyManagerFactory.getInstance("PKIX");
        managers.init(own, PASSWORD);
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    /// A TLS context for a client that trusts only the test authority.
    public SSLContext trust() throws GeneralSecurityException, IOException {
        var authority = KeyStore.getInstance("PKCS12");
        authority.load(null, null);
        authority.setCertificateEntry("ca", keys.getCertificate("ca"));
        var managers = TrustManagerFactory.getInstance("PKIX");
        managers.init(authority);
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }
}
