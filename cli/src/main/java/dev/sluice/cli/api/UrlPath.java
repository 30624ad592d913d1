package dev.sluice.cli.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;

/// Encodes text that a person typed, so that it can be used as one segment of a URL's path.
public final class UrlPath {

    private UrlPath() {}

    public static String segment(String text) {
        return URLEncoder.encode(text, UTF_8).replace("+", "%20");
    }
}
