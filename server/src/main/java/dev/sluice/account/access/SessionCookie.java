package dev.sluice.account.access;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Request;

import java.util.Optional;

/// The cookie that holds a session's token.
///
/// With `HttpOnly`, scripts cannot read the cookie. With `SameSite=Lax`, other sites can make a
/// browser send it only with a top-level `GET` navigation, such as a followed link, and not with a
/// `POST` form. The cookie is `Secure` if the server's public address is https.
public final class SessionCookie {

    private static final String NAME = "sluice_session";

    private final String attributes;

    /// @param baseUrl the server's public address
    public SessionCookie(String baseUrl) {
        this.attributes =
                "; Path=/; HttpOnly; SameSite=Lax"
                        + (baseUrl.startsWith("https://") ? "; Secure" : "");
    }

    /// Returns the token in the request's cookie, or empty if the request has no session cookie.
    static Optional<String> token(Request request) {
        for (String pair : request.header("Cookie").orElse("").split(";", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0 && pair.substring(0, equals).strip().equals(NAME)) {
                return Optional.of(pair.substring(equals + 1).strip());
            }
        }
        return Optional.empty();
    }

    /// Returns the header that sets the cookie.
    public Header set(String token) {
        return new Header(
                "Set-Cookie",
                NAME + "=" + token + attributes + "; Max-Age=" + SessionStore.LIFETIME.toSeconds());
    }

    /// Returns the header that removes the cookie.
    public Header clear() {
        return new Header("Set-Cookie", NAME + "=" + attributes + "; Max-Age=0");
    }
}
