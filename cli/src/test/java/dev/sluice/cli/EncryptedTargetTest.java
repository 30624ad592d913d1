package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.RelayServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// Tests which certificates of a local service are accepted.
class EncryptedTargetTest {

    private static final String PASSWORD = "changeit";

    @TempDir private Path home;

    @Test
    void a_certificate_is_accepted_by_its_authority_or_when_none_is_asked_for() throws Exception {
        var store = home.resolve("keys");
        keytool(
                store,
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=x",
                "-ext",
                "san=dns:localhost");
        var certificate = home.resolve("ca.pem");
        keytool(store, "-exportcert", "-rfc", "-file", certificate.toString());
        var shop = new Shop(home);
        String event = RelayServer.shared().ingest(shop.ingestPath(), "{}".getBytes(UTF_8));
        var service = service(store);
        try {
            String target = "https://localhost:" + service.getAddress().getPort();

            assertThat(replay(shop, event, target).out()).contains("ERR  TLS with localhost");
            assertThat(replay(shop, event, target, "--ca-file", certificate.toString()).out())
                    .contains("->  200");
            assertThat(replay(shop, event, target, "--insecure").out()).contains("->  200");
        } finally {
            service.stop(0);
        }
    }

    @Test
    void what_cannot_be_trusted_is_refused_before_anything_is_sent() throws Exception {
        var shop = new Shop(home);
        String target = "https://localhost:1";
        var empty = Files.writeString(home.resolve("empty.pem"), "").toString();

        assertThat(replay(shop, "1", "https://192.0.2.1", "--insecure").err())
                .contains("only for this machine");
        assertThat(replay(shop, "1", target, "--insecure", "--ca-file", empty).status())
                .isEqualTo(2);
        assertThat(replay(shop, "1", target, "--ca-file", empty).err()).contains("no certificates");
    }

    private static CliRun replay(Shop shop, String event, String target, String... options) {
        var args = new ArrayList<>(List.of("replay", event, "-f", target));
        args.addAll(Arrays.asList(options));
        return shop.run(args.toArray(String[]::new));
    }

    private static HttpsServer service(Path store) throws Exception {
        var keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        var service =
                HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.setHttpsConfigurator(new HttpsConfigurator(context));
        service.createContext(
                "/",
                exchange -> {
                    exchange.getRequestBody().readAllBytes();
                    exchange.sendResponseHeaders(200, -1);
                    exchange.close();
                });
        service.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        service.start();
        return service;
    }

    private static void keytool(Path store, String... args) throws Exception {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString()));
        command.addAll(Arrays.asList(args));
        command.addAll(
                List.of("-keystore", store.toString(), "-storepass", PASSWORD, "-alias", "one"));
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }
}
