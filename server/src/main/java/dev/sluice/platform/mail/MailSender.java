package dev.sluice.platform.mail;

import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;

import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPTransport;
import org.jspecify.annotations.Nullable;

import java.net.SocketTimeoutException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Date;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;

/// Sends messages through the operator's mail server, each over a separate connection.
///
/// If the server offers `STARTTLS`, credentials and messages are sent only over TLS. When TLS is
/// used, the server's certificate must be valid for the server's name. Thread-safe.
public final class MailSender {

    /// The time limit for connecting to the server, and for each read and write.
    private static final Duration IO_TIMEOUT = Duration.ofSeconds(10);

    private static final int MAX_REPLY_LENGTH = 200;

    private final MailSettings settings;
    private final InstantSource clock;
    private final Duration ioTimeout;
    private final Session session;

    public MailSender(MailSettings settings, InstantSource clock) {
        this(settings, clock, IO_TIMEOUT, Optional.empty());
    }

    /// @param tls creates the TLS sockets; if empty, the JVM's default factory is used, which
    ///   trusts the JVM's certificate authorities
    MailSender(
            MailSettings settings,
            InstantSource clock,
            Duration ioTimeout,
            Optional<SSLSocketFactory> tls) {
        this.settings = settings;
        this.clock = clock;
        this.ioTimeout = ioTimeout;
        this.session = Session.getInstance(properties(settings, ioTimeout, tls));
    }

    private static Properties properties(
            MailSettings settings, Duration ioTimeout, Optional<SSLSocketFactory> tls) {
        String prefix = "mail." + protocol(settings.server()) + ".";
        String millis = Long.toString(ioTimeout.toMillis());
        var properties = new Properties();
        properties.setProperty("mail.from", settings.from()); // the sender in the envelope
        properties.setProperty("mail.mime.allowutf8", "true");
        properties.setProperty(prefix + "localhost", domain(settings.from()));
        properties.setProperty(prefix + "connectiontimeout", millis);
        properties.setProperty(prefix + "timeout", millis);
        properties.setProperty(prefix + "writetimeout", millis);
        properties.setProperty(prefix + "starttls.enable", "true");
        properties.setProperty(prefix + "ssl.checkserveridentity", "true");
        properties.setProperty(
                prefix + "auth", Boolean.toString(settings.server().login().isPresent()));
        properties.setProperty(prefix + "auth.mechanisms", "PLAIN LOGIN");
        properties.setProperty(prefix + "quitwait", "false");
        tls.ifPresent(factory -> properties.put(prefix + "ssl.socketFactory", factory));
        return properties;
    }

    private static String protocol(MailServer server) {
        return server.isTls() ? "smtps" : "smtp";
    }

    private static String domain(String address) {
        return address.substring(address.lastIndexOf('@') + 1);
    }

    /// Sends a message. Returns once the server has accepted it.
    ///
    /// @throws MailException if the message could not be written, or the server did not accept it
    public void send(MailMessage message) throws MailException {
        try {
            var mime = mime(message);
            var transport = (SMTPTransport) session.getTransport(protocol(settings.server()));
            try {
                connect(transport);
                transport.sendMessage(mime, mime.getAllRecipients());
            } catch (MessagingException e) {
                throw failure(e, transport);
            } finally {
                close(transport);
            }
        } catch (MessagingException e) {
            throw new MailException(
                    "The message could not be written: " + line(e.getMessage()) + ".", false, e);
        }
    }

    private MimeMessage mime(MailMessage message) throws MessagingException {
        var mime = new MimeMessage(session);
        mime.setFrom(new InternetAddress(settings.from(), true));
        mime.setRecipient(Message.RecipientType.TO, new InternetAddress(message.to(), true));
        mime.setSubject(message.subject(), "UTF-8");
        mime.setText(message.text(), "UTF-8");
        mime.setSentDate(Date.from(clock.instant()));
        mime.setHeader("Auto-Submitted", "auto-generated"); // RFC 3834: no reply is wanted
        mime.setHeader("X-Auto-Response-Suppress", "All");
        mime.saveChanges(); // adds a Message-ID
        if (message.id().isPresent()) {
            mime.setHeader(
                    "Message-ID", "<" + message.id().get() + "@" + domain(settings.from()) + ">");
        }
        return mime;
    }

    private void connect(SMTPTransport transport) throws MessagingException {
        var server = settings.server();
        @Nullable String user = server.login().map(MailServer.MailLogin::user).orElse(null);
        @Nullable String password =
                server.login().map(login -> login.password().reveal()).orElse(null);
        transport.connect(server.host(), server.port(), user, password);
    }

    private static void close(SMTPTransport transport) {
        try {
            transport.close();
        } catch (MessagingException e) {
            // The server has already accepted or refused the message.
        }
    }

    private MailException failure(MessagingException e, SMTPTransport transport) {
        int code = replyCode(e, transport);
        boolean isTemporary = code < 500;
        String reply = code < 400 ? "" : ": " + line(reply(e, transport));
        String server = "The mail server " + settings.server().name();
        if (e instanceof AuthenticationFailedException) {
            return new MailException(
                    server + " refused the user and password of SLUICE_SMTP_URL" + reply + ".",
                    isTemporary && code >= 400,
                    e);
        }
        if (code >= 400) {
            return new MailException(
                    server + " refused the message" + reply + ".",
                    isTemporary,
                    addressFailure(e).map(refused -> line(refused.getMessage())),
                    e);
        }
        if (has(e, SocketTimeoutException.class)) {
            return new MailException(
                    server + " did not answer within " + ioTimeout.toSeconds() + " s.", true, e);
        }
        if (has(e, SSLException.class)) {
            return new MailException(
                    server + " could not be reached over TLS: " + line(rootMessage(e)) + ".",
                    !has(e, CertificateException.class),
                    e);
        }
        return new MailException(
                server + " could not be reached: " + line(rootMessage(e)) + ".", true, e);
    }

    /// Returns the reply code with which the server refused the message, such as 550. A code below
    /// 400 means that the server did not refuse the message.
    private static int replyCode(MessagingException e, SMTPTransport transport) {
        return addressFailure(e)
                .map(SMTPAddressFailedException::getReturnCode)
                .orElseGet(transport::getLastReturnCode);
    }

    private static @Nullable String reply(MessagingException e, SMTPTransport transport) {
        var refused = addressFailure(e);
        return refused.isPresent() ? refused.get().getMessage() : transport.getLastServerResponse();
    }

    private static Optional<SMTPAddressFailedException> addressFailure(MessagingException e) {
        for (@Nullable Exception next = e;
                next instanceof MessagingException each;
                next = each.getNextException()) {
            if (each instanceof SMTPAddressFailedException refused) {
                return Optional.of(refused);
            }
        }
        return Optional.empty();
    }

    private static boolean has(Throwable e, Class<? extends Throwable> type) {
        for (@Nullable Throwable each = e; each != null; each = each.getCause()) {
            if (type.isInstance(each)) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable String rootMessage(Throwable e) {
        @Nullable Throwable cause = e.getCause();
        return cause == null
                ? e.getMessage()
                : cause.getMessage() == null
                        ? cause.getClass().getSimpleName().toLowerCase(Locale.ROOT)
                        : rootMessage(cause);
    }

    /// Turns a message from the server or a library into text that can be part of a sentence.
    private static String line(@Nullable String text) {
        String line = MailMessage.oneLine(String.valueOf(text), MAX_REPLY_LENGTH);
        return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
    }
}
