package dev.sluice.cli.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;

/// Puts what a person typed into a path, so that it stays one segment of it.
public final class UrlPath {

    private UrlPath() {}

    public static String segment(String text) {
        return URLEncoder.encode(text, UTF_8).replace("+", "%20");
    }
}
