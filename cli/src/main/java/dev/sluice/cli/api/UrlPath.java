package dev.sluice.cli.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;

/// Encodes user input so that it can be used as one path segment of a URL.
public final class UrlPath {

    private UrlPath() {}

    public static String segment(String text) {
        return URLEncoder.encode(text, UTF_8).replace("+", "%20");
    }
}
