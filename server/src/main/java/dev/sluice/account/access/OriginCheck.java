package dev.sluice.account.access;

import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Request;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Refuses cross-site request forgeries: requests that change something and come from a signed-in
/// browser, but were triggered by another site.
///
/// A browser's `Sec-Fetch-Site` header says which site triggered the request; older browsers send
/// only `Origin`. `Origin` names this server if it matches the base URL or the `Host` header.
/// Another subdomain counts as another site. A request with neither header does not come from a
/// browser, so no other site can have triggered it. Requests with an API key need no check, because
/// browsers do not add a key on their own.
final class OriginCheck {

    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD", "OPTIONS");
    private static final Set<String> OWN_SITE = Set.of("same-origin", "none");

    private final String baseOrigin;

    /// @param baseUrl the server's public address
    OriginCheck(String baseUrl) {
        this.baseOrigin = origin(URI.create(baseUrl));
    }

    /// @throws ApiException 403 if the request changes something and comes from another site
    void check(Request request) {
        if (SAFE_METHODS.contains(request.method())) {
            return;
        }
        var site = request.header("Sec-Fetch-Site");
        boolean isOwn =
                site.isPresent()
                        ? OWN_SITE.contains(site.get().toLowerCase(Locale.ROOT))
                        : request.header("Origin").map(from -> isOwn(from, request)).orElse(true);
        if (!isOwn) {
            throw new ApiException(
                    ApiErrorCode.FORBIDDEN,
                    "This request comes from another site, which may not change anything with your"
                            + " session. If it is the dashboard's own, set SLUICE_BASE_URL to the"
                            + " address in your browser.");
        }
    }

    private boolean isOwn(String from, Request request) {
        try {
            var uri = URI.create(from);
            return uri.getHost() != null
                    && (origin(uri).equals(baseOrigin)
                            || request.header("Host").equals(Optional.of(uri.getRawAuthority())));
        } catch (IllegalArgumentException e) {
            return false; // such as the opaque origin "null"
        }
    }

    private static String origin(URI uri) {
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        int port = uri.getPort() >= 0 ? uri.getPort() : scheme.equals("https") ? 443 : 80;
        return scheme + "://" + String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT) + ":" + port;
    }
}
