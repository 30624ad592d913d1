package dev.sluice.engine;

/// A class of response statuses that mean the same for a delivery. Both retries and circuits use
/// these classes.
public enum ResponseClass {
    /// 2xx: the destination accepted the event.
    SUCCESS,
    /// 3xx: redirects are not followed, so the event was not delivered. A later attempt may
    /// succeed.
    REDIRECT,
    /// 4xx, except 408 and 429: the destination rejects this event, and is expected to reject it
    /// again.
    REFUSAL,
    /// 408, 429 and all other statuses, such as 5xx: a later attempt may succeed.
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
