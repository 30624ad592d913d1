package dev.sluice.platform.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;

import dev.sluice.platform.secret.Secret;
import dev.sluice.testkit.Certificates;
import dev.sluice.testkit.Some;

import jakarta.mail.internet.MimeMessage;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import javax.net.ssl.SSLContext;

/// Tests what mail servers get, and what the operator is told when they refuse.
class MailSenderTest {

    private static final String FROM = "sluice@relay.example";
    private static final MailMessage MESSAGE =
            new MailMessage("ann@example.com", "Hello", "First line\n.\nÄ last line\n");

    private static final String EHLO_WITH_TLS = "250-test\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN";

    @TempDir private static Path directory;

    private static SSLContext goodServer;
    private static SSLContext strangeServer;
    private static SSLContext client;

    @BeforeAll
    static void makeCertificates() throws Exception {
        var certificates = Certificates.make(directory);
        goodServer = certificates.identity("good");
        strangeServer = certificates.identity("stranger");
        client = certificates.trust();
    }

    private static MailSender sender(String url) {
        return sender(url, Duration.ofSeconds(10));
    }

    private static MailSender sender(String url, Duration timeout) {
        return new MailSender(
                new MailSettings(MailServer.parse(url), FROM),
                InstantSource.fixed(Some.NOON),
                timeout,
                Optional.of(client.getSocketFactory()));
    }

    private static MailException refusal(String url, Duration timeout) {
        return catchThrowableOfType(MailException.class, () -> sender(url, timeout).send(MESSAGE));
    }

    private static MailException refusal(String url) {
        return refusal(url, Duration.ofSeconds(10));
    }

    private static GreenMail startGreenMail(String protocol) {
        var server = new GreenMail(new ServerSetup(0, "127.0.0.1", protocol));
        server.setUser("ann@example.com", "ann", "p@ss wörd");
        server.start();
        return server;
    }

    @Test
    void a_server_gets_the_message_with_its_headers() throws Exception {
        var server = startGreenMail(ServerSetup.PROTOCOL_SMTP);
        try {
            sender("smtp://ann:p%40ss%20w%C3%B6rd@127.0.0.1:" + server.getSmtp().getPort())
                    .send(new MailMessage("ann@example.com", "Grüße → you", MESSAGE.text()));

            MimeMessage received = server.getReceivedMessages()[0];
            assertThat(received.getSubject()).isEqualTo("Grüße → you");
            assertThat(((String) received.getContent()).replace("\r\n", "\n").strip())
                    .isEqualTo(MESSAGE.text().strip());
            assertThat(received.getContentType()).isEqualTo("text/plain; charset=UTF-8");
            assertThat(received.getFrom()).extracting(Object::toString).containsExactly(FROM);
            assertThat(received.getAllRecipients())
                    .extracting(Object::toString)
                    .containsExactly("ann@example.com");
            assertThat(received.getSentDate().toInstant()).isEqualTo(Some.NOON);
            assertThat(received.getMessageID()).matches("<[^@>]+@relay\\.example>");
            assertThat(received.getHeader("Auto-Submitted")).containsExactly("auto-generated");
        } finally {
            server.stop();
        }
    }

    @Test
    void a_wrong_password_is_permanent_and_not_shown() {
        var server = startGreenMail(ServerSetup.PROTOCOL_SMTP);
        try {
            var refusal = refusal("smtp://ann:hunter2@127.0.0.1:" + server.getSmtp().getPort());

            assertThat(refusal)
                    .hasMessageContaining("refused the user and password of SLUICE_SMTP_URL: 535")
                    .hasMessageNotContaining("hunter2");
            assertThat(refusal.isTemporary()).isFalse();
        } finally {
            server.stop();
        }
    }

    @Test
    void a_subject_cannot_add_a_header() throws Exception {
        var server = startGreenMail(ServerSetup.PROTOCOL_SMTP);
        try {
            sender("smtp://127.0.0.1:" + server.getSmtp().getPort())
                    .send(
                            new MailMessage(
                                    "ann@example.com",
                                    "Hi\r\nBcc: eve@example.com\u2028\u202Ex\r\n\r\nbody",
                                    "text"));

            MimeMessage received = server.getReceivedMessages()[0];
            assertThat(received.getSubject()).isEqualTo("Hi Bcc: eve@example.com x body");
            assertThat(received.getHeader("Bcc")).isNull();
            assertThat(server.getReceivedMessages()).hasSize(1);
        } finally {
            server.stop();
        }
    }

    @Test
    void a_server_that_offers_starttls_gets_credentials_and_message_encrypted() throws Exception {
        var replies = Map.of("EHLO", EHLO_WITH_TLS, "AUTH", "235 fine");
        try (var server = ScriptedSmtpServer.start(replies, goodServer)) {
            sender("smtp://ann:pw@localhost:" + server.port()).send(MESSAGE);

            assertThat(plain(server)).containsExactly("EHLO relay.example", "STARTTLS");
            assertThat(server.lines())
                    .contains("TLS MAIL FROM:<sluice@relay.example>", "TLS Subject: Hello");
        }
    }

    private static List<String> plain(ScriptedSmtpServer server) {
        return server.lines().stream().filter(line -> !line.startsWith("TLS ")).toList();
    }

    @Test
    void smtps_is_encrypted_from_the_first_byte() throws Exception {
        try (var server = ScriptedSmtpServer.startTls(goodServer)) {
            sender("smtps://localhost:" + server.port()).send(MESSAGE);

            assertThat(plain(server)).isEmpty();
            assertThat(server.lines()).contains("TLS Subject: Hello");
        }
    }

    @Test
    void a_certificate_of_nobody_we_trust_is_refused() throws Exception {
        try (var offered = ScriptedSmtpServer.start(Map.of("EHLO", EHLO_WITH_TLS), strangeServer);
                var encrypted = ScriptedSmtpServer.startTls(strangeServer)) {
            for (String url :
                    List.of(
                            "smtp://ann:pw@localhost:" + offered.port(),
                            "smtps://ann:pw@localhost:" + encrypted.port())) {
                var refusal = refusal(url);

                assertThat(refusal).hasMessageContaining("could not be reached over TLS: ");
                assertThat(refusal.isTemporary()).isFalse();
            }
            assertThat(offered.lines()).containsExactly("EHLO relay.example", "STARTTLS");
        }
    }

    @Test
    void a_certificate_for_another_host_is_refused() throws Exception {
        try (var server = ScriptedSmtpServer.startTls(goodServer)) {
            var refusal = refusal("smtps://127.0.0.1:" + server.port());

            assertThat(refusal).hasMessageContaining("could not be reached over TLS: ");
            assertThat(server.lines()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    GREETING | 421 too busy               | true
                    GREETING | 554 go away                | false
                    MAIL     | 451 later                  | true
                    MAIL     | 553 not your address       | false
                    RCPT     | 450 4.2.0 greylisted       | true
                    RCPT     | 550 5.1.1 no such mailbox  | false
                    DATA     | 452 no space               | true
                    .        | 554 5.7.1 this is spam     | false
                    """)
    void a_refusal_quotes_the_server_and_5xx_is_permanent(
            String command, String reply, boolean isTemporary) throws Exception {
        try (var server = ScriptedSmtpServer.start(Map.of(command, reply), goodServer)) {
            var refusal = refusal("smtp://localhost:" + server.port());

            assertThat(refusal)
                    .hasMessage(
                            "The mail server localhost:"
                                    + server.port()
                                    + " refused the message: "
                                    + reply
                                    + ".");
            assertThat(refusal.isTemporary()).isEqualTo(isTemporary);
            assertThat(refusal.recipientRefusal())
                    .isEqualTo(command.equals("RCPT") ? Optional.of(reply) : Optional.empty());
        }
    }

    @ParameterizedTest
    @CsvSource({"GREETING", "EHLO", "MAIL", "."})
    void a_server_that_falls_silent_is_given_up(String command) throws Exception {
        var replies = Map.of(command, ScriptedSmtpServer.SILENCE);
        try (var server = ScriptedSmtpServer.start(replies, goodServer)) {
            var refusal = refusal("smtp://localhost:" + server.port(), Duration.ofSeconds(1));

            assertThat(refusal).hasMessageEndingWith(" did not answer within 1 s.");
            assertThat(refusal.isTemporary()).isTrue();
        }
    }

    @Test
    void a_dead_port_is_temporary() throws Exception {
        int port;
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = listener.getLocalPort();
        }
        var refusal = refusal("smtp://127.0.0.1:" + port);

        assertThat(refusal)
                .hasMessage(
                        "The mail server 127.0.0.1:"
                                + port
                                + " could not be reached: Connection refused.");
        assertThat(refusal.isTemporary()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            textBlock =
                    """
                    smtp://mail.example,                    mail.example, 587, false, '',   ''
                    smtps://mail.example/,                  mail.example, 465, true,  '',   ''
                    smtp://[::1]:25,                        ::1,          25,  false, '',   ''
                    smtps://a%40b:p%3A%2F%2B+%25@mail:2465, mail,         2465, true, a@b,  p:/++%
                    """)
    void a_server_is_named_by_its_url(
            String url, String host, int port, boolean isTls, String user, String password) {
        var login =
                user.isEmpty()
                        ? Optional.<MailServer.MailLogin>empty()
                        : Optional.of(new MailServer.MailLogin(user, new Secret(password)));

        assertThat(MailServer.parse(url)).isEqualTo(new MailServer(host, port, isTls, login));
    }

    @ParameterizedTest
    @CsvSource({
        "mail.example",
        "http://mail.example",
        "smtp:mail.example",
        "smtp://",
        "smtp://mail.example:0",
        "smtp://mail.example:65536",
        "smtp://mail.example/inbox",
        "smtp://mail.example?starttls=no",
        "smtp://ann@mail.example",
        "smtp://:hunter2@mail.example",
        "smtp://ann:@mail.example",
        "smtp://ann:hunter2#@mail.example",
        "smtp://ann@b.example:hunter2@mail.example",
        "smtp://ann:hunter2%0d%0a@mail.example",
        "smtp://ann:hunter2%zz@mail.example",
    })
    void another_url_is_refused_without_showing_its_password(String url) {
        var refusal =
                catchThrowableOfType(IllegalArgumentException.class, () -> MailServer.parse(url));

        assertThat(refusal)
                .hasMessageStartingWith("must be such as smtps://")
                .hasMessageNotContaining("hunter2")
                .hasNoCause();
    }

    @ParameterizedTest
    @CsvSource({
        "ann",
        "'ann@b.example,eve@b.example'",
        "'Ann <ann@b.example>'",
        "'ann@b.example\r\nBcc: eve@b.example'",
        "@b.example",
        "ann@"
    })
    void a_message_is_for_exactly_one_address(String to) {
        assertThat(
                        catchThrowableOfType(
                                IllegalArgumentException.class,
                                () -> new MailMessage(to, "s", "t")))
                .hasMessageStartingWith("must be an e-mail address");
    }

    @Test
    void a_long_subject_is_cut_between_characters() {
        var message = new MailMessage("a@b.example", "😀".repeat(200), "t");

        assertThat(message.subject()).isEqualTo("😀".repeat(119) + "…");
    }
}
