package dev.sluice.cli.forward;

import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.events.StoredEvent.StoredHeader;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The rules for sending events to a local address, including how the requests that are sent differ
/// from the ones that were received.
///
/// @param headerPrefix the prefix of the headers that the server adds, such as `X-Service` in
///   `X-Service-Event-Id`
/// @param method the method to send instead of the event's, or empty to keep the event's
/// @param isHostKept whether the `Host` header keeps the sender's value
/// @param moreHeaders headers to add; each replaces the event's headers with the same name
/// @param withoutHeaders the names of headers to leave out, in lower case
/// @param timeout the time limit for one attempt
/// @param retries the maximum number of retries if there is no 2xx response
public record ForwardRules(
        String headerPrefix,
        Optional<String> method,
        boolean isHostKept,
        List<StoredHeader> moreHeaders,
        Set<String> withoutHeaders,
        Duration timeout,
        int retries,
        TargetTls tls) {

    public static final String DEFAULT_PREFIX = "X-Service";

    public ForwardRules {
        moreHeaders = List.copyOf(moreHeaders);
        withoutHeaders = Set.copyOf(withoutHeaders);
    }

    /// Returns a copy of these rules with the header prefix from the response to `GET /api/v1/me`.
    /// If an older server sends no prefix, the copy uses [#DEFAULT_PREFIX].
    ///
    /// @throws CommandException if the prefix cannot begin the name of a header
    public ForwardRules withPrefixOf(JsonNode me) {
        String prefix = me.path("header_prefix").asString(DEFAULT_PREFIX);
        if (!StoredEvent.isToken(prefix)) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "invalid_answer",
                    "The server's header prefix cannot begin the name of a header.",
                    "Check the address of the server; nothing was sent.");
        }
        return new ForwardRules(
                prefix, method, isHostKept, moreHeaders, withoutHeaders, timeout, retries, tls);
    }
}
