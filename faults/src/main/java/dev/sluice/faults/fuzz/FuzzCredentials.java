package dev.sluice.faults.fuzz;

import dev.sluice.bench.platform.SimpleHttpClient;

import java.net.URI;
import java.util.Optional;

/// The credentials that a fuzz run sends with its requests.
///
/// @param key an API key
/// @param session the cookie for the owner's session, or empty if there is no session
record FuzzCredentials(String key, Optional<String> session) {

    static FuzzCredentials ofKey(String key) {
        return new FuzzCredentials(key, Optional.empty());
    }

    /// Signs in. The session is empty if the relay refuses the password.
    static FuzzCredentials signIn(URI base, String key, String email, String password) {
        var answer =
                SimpleHttpClient.post(
                        base.resolve("/api/v1/auth/login"),
                        "",
                        "{\"email\": \"%s\", \"password\": \"%s\"}".formatted(email, password));
        return new FuzzCredentials(
                key,
                answer.headers()
                        .firstValue("Set-Cookie")
                        .filter(_ -> answer.statusCode() == 200)
                        .map(cookie -> cookie.split(";", 2)[0]));
    }

    /// Returns the header line that authenticates a request with the key.
    String keyLine() {
        return "Authorization: Bearer " + key + "\r\n";
    }

    /// Returns the header lines that authenticate a request with the session, as a browser sends
    /// them from the server's own pages. If there is no session, returns the line with the key.
    String sessionLines() {
        return session.map(cookie -> "Cookie: " + cookie + "\r\nSec-Fetch-Site: same-origin\r\n")
                .orElseGet(this::keyLine);
    }
}
