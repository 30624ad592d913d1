package dev.sluice.platform.mail;

import dev.sluice.platform.secret.Secret;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// The address of a mail server, and the credentials to sign in with.
///
/// @param isTls whether the connection uses TLS from the beginning; if false, the connection
///   switches to TLS only if the server offers `STARTTLS`
/// @param login empty for a server that requires no sign-in
public record MailServer(String host, int port, boolean isTls, Optional<MailLogin> login) {

    public record MailLogin(String user, Secret password) {}

    private static final int SUBMISSION_PORT = 587; // RFC 6409
    private static final int TLS_PORT = 465; // RFC 8314

    /// Parses `smtp://host:port` or `smtps://host:port`, both optionally with `user:password@`.
    /// Without a port, the standard port of the protocol is used. The user and the password can be
    /// percent-encoded.
    ///
    /// @throws IllegalArgumentException with a message that does not show the password
    public static MailServer parse(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw unexpected();
        }
        boolean isTls = "smtps".equals(uri.getScheme());
        boolean isPlainAddress =
                uri.getHost() != null
                        && uri.getPort() != 0
                        && uri.getPort() <= 65_535
                        && (uri.getRawPath().isEmpty() || uri.getRawPath().equals("/"))
                        && uri.getRawQuery() == null
                        && uri.getRawFragment() == null;
        if (!isPlainAddress || !(isTls || "smtp".equals(uri.getScheme()))) {
            throw unexpected();
        }
        return new MailServer(
                uri.getHost().replaceAll("^\\[|]$", ""), // the brackets of an IPv6 address
                uri.getPort() > 0 ? uri.getPort() : isTls ? TLS_PORT : SUBMISSION_PORT,
                isTls,
                Optional.ofNullable(uri.getRawUserInfo()).map(MailServer::login));
    }

    private static MailLogin login(String userInfo) {
        String[] parts = userInfo.split(":", 2);
        if (parts.length < 2 || parts[0].isEmpty() || parts[1].isEmpty()) {
            throw unexpected();
        }
        return new MailLogin(decode(parts[0]), new Secret(decode(parts[1])));
    }

    private static String decode(String part) {
        String text = URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw unexpected();
        }
        return text;
    }

    private static IllegalArgumentException unexpected() {
        return new IllegalArgumentException(
                "must be such as smtps://user:password@mail.example.com:465 or smtp://127.0.0.1:25,"
                        + " with special characters of the user and the password percent-encoded");
    }

    /// Returns the host and port as shown to the operator.
    String name() {
        return host + ":" + port;
    }
}
