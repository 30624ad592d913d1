package dev.sluice.relay;

/// What a response status means for the delivery. Retries and circuits share this one rule.
public enum ResponseClass {
    /// 2xx: the destination accepted the event.
    SUCCESS,
    /// 3xx: redirects are not followed, so the event was not delivered. A later attempt may
    /// succeed.
    REDIRECT,
    /// 4xx, except 408 and 429: the destination does not want this event, and another attempt would
    /// not change that.
    REFUSAL,
    /// 1xx, 5xx, 408 and 429: a later attempt may succeed.
    TEMPORARY_FAILURE;

    public static ResponseClass of(int status) {
        return switch (status / 100) {
            case 2 -> SUCCESS;
            case 3 -> REDIRECT;
            case 4 -> status == 408 || status == 429 ? TEMPORARY_FAILURE : REFUSAL;
            default -> TEMPORARY_FAILURE;
        };
    }
}
