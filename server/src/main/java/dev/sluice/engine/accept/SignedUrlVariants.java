package dev.sluice.engine.accept;

import java.net.URI;
import java.util.List;

/// Lists the forms of a URL that a sender may have signed: with a port and without one.
///
/// Some senders omit the default port, some include it, and some omit the port even if it is not
/// the default. Twilio's own library tries both forms.
final class SignedUrlVariants {

    private SignedUrlVariants() {}

    static List<String> of(String url) {
        int start = url.indexOf("://") + 3;
        int end = url.indexOf('/', start);
        var authority = URI.create(url.substring(0, end));
        String path = url.substring(end);
        if (authority.getPort() >= 0) {
            int colon = url.lastIndexOf(':', end);
            return List.of(url, url.substring(0, colon) + path);
        }
        String port = authority.getScheme().equals("https") ? ":443" : ":80";
        return List.of(url, authority + port + path);
    }
}
