package dev.sluice.relay.verify;

import java.net.URI;
import java.util.List;

/// The forms in which senders sign a URL: some leave the port out where it is the usual one, some
/// write it, some leave it out always (Twilio's own library tries both).
final class PublicUrl {

    private PublicUrl() {}

    static List<String> forms(String url) {
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
