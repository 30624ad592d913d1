package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.SchemaMigrator;
import dev.sluice.platform.postgres.EmbeddedPostgres.PostgresLogin;
import dev.sluice.platform.secret.Secret;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;

/// Another user of the machine has taken the port of the embedded PostgreSQL.
class ImpostorPostgresTest {

    private static final String PASSWORD = "hunter2hunter2hunter2";

    /// The code by which a server refuses TLS and GSS encryption.
    private static final int NO_ENCRYPTION = 'N';

    private static final int SSL_REQUEST = 80877103;
    private static final int GSS_REQUEST = 80877104;

    @ParameterizedTest
    @CsvSource({
        "clear text, 3, ''",
        "MD5,        5, salt",
        "nothing,    0, ''",
    })
    void the_password_is_not_given_to_who_asks_for(String method, int code, String salt)
            throws Exception {
        try (var impostor = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var received = CompletableFuture.supplyAsync(() -> ask(impostor, code, salt));
            var login =
                    new PostgresLogin(
                            "127.0.0.1",
                            impostor.getLocalPort(),
                            "sluice",
                            "sluice",
                            new Secret(PASSWORD));

            assertThatThrownBy(() -> SchemaMigrator.run(Storage.database(login)))
                    .as(method)
                    .isInstanceOf(DbException.class)
                    .hasMessageNotContaining(PASSWORD);

            assertThat(received.get()).isEmpty();
        }
    }

    /// Asks a client for its password and returns what the client sent in answer.
    private static String ask(ServerSocket impostor, int code, String salt) {
        try (var client = impostor.accept()) {
            var in = new DataInputStream(client.getInputStream());
            var out = new DataOutputStream(client.getOutputStream());
            readStartup(client, in, out);
            out.writeByte('R');
            out.writeInt(8 + salt.length());
            out.writeInt(code);
            out.writeBytes(salt);
            out.flush();
            client.shutdownOutput();
            return new String(in.readAllBytes(), ISO_8859_1);
        } catch (IOException e) {
            return ""; // the client closed the connection
        }
    }

    /// Reads messages until the one that names user and database.
    private static void readStartup(Socket client, DataInputStream in, DataOutputStream out)
            throws IOException {
        while (!client.isClosed()) {
            int length = in.readInt();
            int protocol = in.readInt();
            in.skipNBytes(length - 8L);
            if (protocol != SSL_REQUEST && protocol != GSS_REQUEST) {
                return;
            }
            out.writeByte(NO_ENCRYPTION);
            out.flush();
        }
    }
}
