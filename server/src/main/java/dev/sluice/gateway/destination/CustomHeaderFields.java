package dev.sluice.gateway.destination;

import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Patch;
import dev.sluice.platform.secret.Secret;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The fields `custom_headers` and `secret_headers` in the body of a create or PATCH request.
///
/// @param secretNames names of headers in `custom_headers` whose values the API must not show
record CustomHeaderFields(Patch<List<Header>> headers, Patch<List<String>> secretNames) {

    /// Reads both fields. Invalid fields are recorded as errors in `input`.
    static CustomHeaderFields read(FieldReader input, CustomHeaderRules rules) {
        return new CustomHeaderFields(
                input.stringMap("custom_headers")
                        .map(values -> {
                            checkHeaders(input, values, rules);
                            return CustomHeaders.headers(values);
                        }),
                input.parsedList("secret_headers", 0, CustomHeaders.MAX_HEADERS, name -> name));
    }

    private static void checkHeaders(
            FieldReader input, Map<String, String> headers, CustomHeaderRules rules) {
        if (headers.size() > CustomHeaders.MAX_HEADERS) {
            input.addError(
                    "custom_headers",
                    "must have at most " + CustomHeaders.MAX_HEADERS + " headers.");
            return;
        }
        rules.totalError(
                        headers.entrySet().stream()
                                .flatMap(header -> Stream.of(header.getKey(), header.getValue())))
                .ifPresent(message -> input.addError("custom_headers", message));
        var names = new HashSet<String>();
        headers.forEach((name, value) -> {
            boolean isFirst = names.add(name.toLowerCase(Locale.ROOT));
            headerError(name, value, isFirst, rules)
                    .ifPresent(message -> input.addError("custom_headers." + name, message));
        });
    }

    private static Optional<String> headerError(
            String name, String value, boolean isFirst, CustomHeaderRules rules) {
        if (!CustomHeaderRules.isName(name)) {
            return Optional.of("is not " + CustomHeaderRules.nameFormat());
        }
        if (rules.isReserved(name)) {
            return rules.reservedBy(name).map(by -> "cannot be set: " + by);
        }
        if (value.equals(Secret.MASK)) {
            return Optional.of(
                    "is masked: re-enter the value, or leave custom_headers out to keep it.");
        }
        var wrongValue = CustomHeaderRules.valueError(value);
        if (wrongValue.isPresent() || isFirst) {
            return wrongValue;
        }
        return Optional.of("is a duplicate; header names ignore case.");
    }

    /// Returns the headers that result from applying the request to `before`. A secret value never
    /// becomes readable through the API: a request can make a secret header readable only if it
    /// also sends `custom_headers`, which replaces all values.
    ///
    /// @param input receives an error if `secret_headers` names an unknown header, or omits a
    ///   secret header whose value is kept
    CustomHeaders applyTo(CustomHeaders before, FieldReader input) {
        boolean isKept = headers instanceof Patch.KeepValue;
        var after = headers.applyTo(before.headers(), List.of());
        var secret =
                secretNames instanceof Patch.KeepValue
                        ? stillSecret(before, after)
                        : chosen(after, secretNames.orElse(List.of()), input);
        if (isKept) {
            before.orderedSecretNames().stream()
                    .filter(name -> !secret.contains(name))
                    .findFirst()
                    .ifPresent(name ->
                            input.addError(
                                    "secret_headers",
                                    "must keep "
                                            + name
                                            + ", or its value could be read; send custom_headers"
                                            + " again to replace it."));
        }
        return new CustomHeaders(after, secret, before.isReadable() || !isKept);
    }

    /// Returns the names of the headers in `after` that were secret in `before`, spelled as they
    /// are in `after`.
    private static Set<String> stillSecret(CustomHeaders before, List<Header> after) {
        var secret = new LinkedHashSet<String>();
        for (String name : before.secretNames()) {
            find(after, name).ifPresent(secret::add);
        }
        return secret;
    }

    private static Set<String> chosen(List<Header> after, List<String> names, FieldReader input) {
        var secret = new LinkedHashSet<String>();
        for (int i = 0; i < names.size(); i++) {
            var found = find(after, names.get(i));
            found.ifPresent(secret::add);
            if (found.isEmpty()) {
                input.addError("secret_headers." + i, "names no header of custom_headers.");
            }
        }
        return secret;
    }

    private static Optional<String> find(List<Header> headers, String name) {
        return headers.stream()
                .filter(header -> header.isNamed(name))
                .map(Header::name)
                .findFirst();
    }
}
