package dev.sluice.gateway.destination;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.json.Form;
import dev.sluice.platform.json.Patch;
import dev.sluice.platform.net.AddressPolicy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The fields of a destination as create and PATCH take them.
record DestinationForm(
        Patch<String> name,
        Patch<DestinationUrl> url,
        Patch<Duration> timeout,
        Patch<Auth> auth,
        Patch<List<Header>> customHeaders,
        Patch<RetryPolicy> retryPolicy,
        Patch<Integer> maxInFlight,
        Patch<Optional<RateLimit>> rateLimit,
        Patch<Destination.Status> status) {

    private static final int MOST_HEADERS = 50;
    private static final int MOST_NAME = 200;
    private static final int MOST_HEADER_LENGTH = 4096;
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
    private static final int DEFAULT_MAX_IN_FLIGHT = 32;

    /// Reads all fields; what is wrong is noted in the form.
    static DestinationForm read(Form form, AddressPolicy addresses) {
        return new DestinationForm(
                form.text("name", 1, 200),
                url(form, addresses),
                form.integer("timeout_ms", 1, 300_000).map(Duration::ofMillis),
                form.form("auth_config").map(AuthJson::read),
                customHeaders(form),
                form.form("retry_policy").map(DestinationForm::retryPolicy),
                form.integer("max_in_flight", 1, 256),
                form.form("rate_limit").map(RateLimit::read),
                form.oneOf("status", Destination.Status.BY_TEXT));
    }

    private static Patch<DestinationUrl> url(Form form, AddressPolicy addresses) {
        return form.parsed("url", text -> DestinationUrl.parse(text, addresses));
    }

    private static RetryPolicy retryPolicy(Form form) {
        var seconds =
                form.required(
                        "intervals_seconds", form.integers("intervals_seconds", 1, 10, 1, 86_400));
        form.nothingElse();
        return seconds.toOptional()
                .map(list -> new RetryPolicy(list.stream().map(Duration::ofSeconds).toList()))
                .orElse(RetryPolicy.DEFAULT);
    }

    private static Patch<List<Header>> customHeaders(Form form) {
        return form.texts("custom_headers")
                .map(texts -> {
                    checkHeaders(form, texts);
                    var headers = new ArrayList<Header>();
                    texts.forEach((name, value) -> headers.add(new Header(name, value)));
                    return List.copyOf(headers);
                });
    }

    private static void checkHeaders(Form form, Map<String, String> headers) {
        if (headers.size() > MOST_HEADERS) {
            form.complain("custom_headers", "must have at most " + MOST_HEADERS + " headers.");
            return;
        }
        var names = new HashSet<String>();
        headers.forEach((name, value) -> {
            boolean isFirst = names.add(name.toLowerCase(Locale.ROOT));
            headerError(name, value, isFirst)
                    .ifPresent(message -> form.complain("custom_headers." + name, message));
        });
    }

    private static Optional<String> headerError(String name, String value, boolean isFirst) {
        if (!HeaderSyntax.isName(name) || name.length() > MOST_NAME) {
            return Optional.of(
                    "is not a header name of at most " + MOST_NAME + " characters (RFC 9110).");
        }
        if (HeaderSyntax.isReserved(name)) {
            return Optional.of("cannot be set: the connection needs it.");
        }
        if (!HeaderSyntax.isValue(value) || value.length() > MOST_HEADER_LENGTH) {
            return Optional.of(
                    "must be visible ASCII of at most " + MOST_HEADER_LENGTH + " characters.");
        }
        return isFirst
                ? Optional.empty()
                : Optional.of("is there twice; header names ignore case.");
    }

    void require(Form form) {
        form.required("name", name);
        form.required("url", url);
    }

    /// Only `auth_config`, `custom_headers`, `retry_policy`, `timeout_ms`, `max_in_flight` and
    /// `rate_limit` have a default to go back to.
    void refuseClearing(Form form) {
        form.refuseNull("name", name);
        form.refuseNull("url", url);
        form.refuseNull("status", status);
    }

    /// Call only after the form's check.
    Destination.Spec created() {
        return new Destination.Spec(
                name.toOptional().orElseThrow(),
                url.toOptional().orElseThrow(),
                timeout.or(DEFAULT_TIMEOUT),
                auth.or(new Auth.None()),
                customHeaders.or(List.of()),
                retryPolicy.or(RetryPolicy.DEFAULT),
                maxInFlight.or(DEFAULT_MAX_IN_FLIGHT),
                rateLimit.or(Optional.empty()),
                status.or(Destination.Status.ACTIVE));
    }

    Destination.Spec over(Destination.Spec spec) {
        return new Destination.Spec(
                name.or(spec.name()),
                url.or(spec.url()),
                timeout.over(spec.timeout(), DEFAULT_TIMEOUT),
                auth.over(spec.auth(), new Auth.None()),
                customHeaders.over(spec.customHeaders(), List.of()),
                retryPolicy.over(spec.retryPolicy(), RetryPolicy.DEFAULT),
                maxInFlight.over(spec.maxInFlight(), DEFAULT_MAX_IN_FLIGHT),
                rateLimit.over(spec.rateLimit(), Optional.empty()),
                status.or(spec.status()));
    }
}
