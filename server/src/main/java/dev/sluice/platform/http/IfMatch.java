package dev.sluice.platform.http;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// The condition in a request's `If-Match` headers: the resource's current entity tag must be one
/// of those that the headers list (RFC 9110, section 13.1.1). Immutable.
///
/// A weak tag never matches (RFC 9110, section 8.8.3.2), so only the strong tags are stored.
public final class IfMatch {

    private static final Pattern ELEMENT =
            Pattern.compile("\\G[ \\t,]*(W/)?(\"[!#-~\\x80-\\xff]*\")[ \\t]*(?:,|\\z)");

    private static final IfMatch ANY = new IfMatch(true, Set.of(), false);

    private final boolean matchesAny;
    private final Set<String> strongTags;
    private final boolean hasWeakTag;

    private IfMatch(boolean matchesAny, Set<String> strongTags, boolean hasWeakTag) {
        this.matchesAny = matchesAny;
        this.strongTags = strongTags;
        this.hasWeakTag = hasWeakTag;
    }

    /// Parses the values of a request's `If-Match` headers. If there are none, or if the value is
    /// `*`, the condition is always met.
    ///
    /// @throws ApiException 400 if the values are neither `*` nor a list of entity tags
    static IfMatch of(List<String> values) {
        String list = String.join(",", values).strip();
        if (values.isEmpty() || list.equals("*")) {
            return ANY;
        }
        var strong = new HashSet<String>();
        boolean hasWeak = false;
        int end = 0;
        for (var element = ELEMENT.matcher(list); element.find(); end = element.end()) {
            hasWeak |= element.group(1) != null;
            if (element.group(1) == null) {
                strong.add(element.group(2));
            }
        }
        if (end == 0 || !isBlankList(list.substring(end))) {
            throw malformed();
        }
        return new IfMatch(false, strong, hasWeak);
    }

    /// Whether the rest of a list contains only empty elements, which are ignored (RFC 9110,
    /// section 5.6.1.2).
    private static boolean isBlankList(String rest) {
        return rest.chars().allMatch(c -> c == ',' || c == ' ' || c == '\t');
    }

    private static ApiException malformed() {
        return new ApiException(
                ApiErrorCode.MALFORMED_REQUEST,
                "If-Match must be * or the ETag of an earlier answer, with its quotes; or several,"
                        + " separated by commas.");
    }

    /// Checks the condition. Call this in the transaction that makes the change, after reading and
    /// locking the resource. Make all of the request's other checks first, except the check that
    /// the user has confirmed the change.
    ///
    /// @param kind a singular noun, such as `source`
    /// @throws ApiException 412 if `current` is not one of the tags
    public void require(EntityTag current, String kind) {
        if (matchesAny || strongTags.contains(current.text())) {
            return;
        }
        throw new ApiException(
                ApiErrorCode.PRECONDITION_FAILED,
                hasWeakTag
                        ? "A weak entity tag (W/) in If-Match never matches. Send the ETag as the"
                                + " server sent it; a proxy may have changed it."
                        : "The "
                                + kind
                                + " was changed meanwhile: its ETag is not the one in If-Match."
                                + " Get it again, and repeat the change with its new ETag.");
    }
}
