package dev.sluice.cli.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Builds a URL's query string, parameter by parameter.
public final class QueryString {

    private final List<String> pairs = new ArrayList<>();

    public QueryString with(String name, String value) {
        pairs.add(name + "=" + URLEncoder.encode(value, UTF_8));
        return this;
    }

    public QueryString with(String name, Optional<String> value) {
        value.ifPresent(given -> with(name, given));
        return this;
    }

    /// Returns `path` with this query appended. Without parameters, returns `path` unchanged.
    public String after(String path) {
        return pairs.isEmpty() ? path : path + "?" + String.join("&", pairs);
    }
}
