package dev.sluice.gateway.destination;

import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Patch;
import dev.sluice.platform.net.AddressPolicy;

import java.time.Duration;

/// A destination's fields in the body of a create or PATCH request.
record DestinationFields(
        Patch<String> name,
        Patch<DestinationUrl> url,
        Patch<Duration> timeout,
        Patch<AuthConfig> auth,
        CustomHeaderFields customHeaders,
        Patch<RetrySchedule> retrySchedule,
        DestinationLimits.DestinationLimitFields limits,
        Patch<Destination.DestinationStatus> status) {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
    private static final int MAX_TIMEOUT_MILLIS = (int) Destination.MAX_TIMEOUT.toMillis();

    /// Reads all fields. Invalid fields are recorded as errors in `input`.
    static DestinationFields read(
            FieldReader input, AddressPolicy addresses, CustomHeaderRules headerRules) {
        return new DestinationFields(
                input.name("name", 1, 200),
                url(input, addresses),
                input.integer("timeout_ms", 1, MAX_TIMEOUT_MILLIS).map(Duration::ofMillis),
                input.nested("auth_config").map(auth -> AuthJson.read(auth, headerRules)),
                CustomHeaderFields.read(input, headerRules),
                input.nested("retry_policy").map(DestinationFields::retrySchedule),
                DestinationLimits.DestinationLimitFields.read(input),
                input.oneOf("status", Destination.DestinationStatus.BY_TEXT));
    }

    private static Patch<DestinationUrl> url(FieldReader input, AddressPolicy addresses) {
        input.requireUnicode("url"); // error messages may quote the URL
        return input.parsed("url", text -> DestinationUrl.parse(text, addresses));
    }

    private static RetrySchedule retrySchedule(FieldReader input) {
        var seconds =
                input.required(
                        "intervals_seconds", input.integers("intervals_seconds", 1, 10, 1, 86_400));
        input.rejectUnknownFields();
        return seconds.toOptional()
                .map(list -> new RetrySchedule(list.stream().map(Duration::ofSeconds).toList()))
                .orElse(RetrySchedule.DEFAULT);
    }

    /// Records an error if `name` or `url` is missing, or if `status` is null.
    void require(FieldReader input) {
        input.rejectNull("status", status);
        input.required("name", name);
        input.required("url", url);
    }

    /// Records an error for each field that is null and has no default value. Only `auth_config`,
    /// `custom_headers`, `secret_headers`, `retry_policy`, `timeout_ms`, `max_in_flight` and
    /// `rate_limit` have a default value, which null restores.
    void refuseClearing(FieldReader input) {
        input.rejectNull("name", name);
        input.rejectNull("url", url);
        input.rejectNull("status", status);
    }

    /// Returns the settings for a new destination. Throws if the input has any error.
    Destination.DestinationSpec newSpec(FieldReader input) {
        var headers = customHeaders.applyTo(CustomHeaders.NONE, input);
        input.check();
        return new Destination.DestinationSpec(
                name.toOptional().orElseThrow(),
                url.toOptional().orElseThrow(),
                timeout.orElse(DEFAULT_TIMEOUT),
                auth.orElse(new AuthConfig.NoAuth()),
                headers,
                retrySchedule.orElse(RetrySchedule.DEFAULT),
                limits.applyTo(DestinationLimits.DEFAULT),
                status.orElse(Destination.DestinationStatus.ACTIVE));
    }

    /// Records an error for each field whose stored secrets the request keeps although it changes
    /// the URL's scheme, host or port. Otherwise, whoever may change a destination could send its
    /// secrets to a server of their own and read them there.
    ///
    /// @param part what the request changes: scheme, host or port
    private void requireSecrets(
            Destination.DestinationSpec before, String part, FieldReader input) {
        String reason =
                ", because url names another "
                        + part
                        + ". Secrets are sent only to the scheme, host and port that they were"
                        + " entered for.";
        if (auth instanceof Patch.KeepValue && before.auth().hasSecret()) {
            input.addError("auth_config", "must be sent again with its secret" + reason);
        }
        if (customHeaders.headers() instanceof Patch.KeepValue
                && before.customHeaders().hasSecret()) {
            input.addError("custom_headers", "must be sent again with the secret values" + reason);
        }
    }

    /// Returns `spec` with the request's changes applied. Throws if the input has any error.
    Destination.DestinationSpec applyTo(Destination.DestinationSpec spec, FieldReader input) {
        var headers = customHeaders.applyTo(spec.customHeaders(), input);
        url.toOptional()
                .flatMap(next -> next.differenceFrom(spec.url()))
                .ifPresent(part -> requireSecrets(spec, part, input));
        input.check();
        return new Destination.DestinationSpec(
                name.orElse(spec.name()),
                url.orElse(spec.url()),
                timeout.applyTo(spec.timeout(), DEFAULT_TIMEOUT),
                auth.applyTo(spec.auth(), new AuthConfig.NoAuth()),
                headers,
                retrySchedule.applyTo(spec.retrySchedule(), RetrySchedule.DEFAULT),
                limits.applyTo(spec.limits()),
                status.orElse(spec.status()));
    }
}
