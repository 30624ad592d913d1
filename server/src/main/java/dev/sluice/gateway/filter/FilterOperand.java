package dev.sluice.gateway.filter;

import dev.sluice.platform.json.JsonMatcher;
import dev.sluice.platform.json.JsonMatcherSet;
import dev.sluice.platform.json.JsonNumber;
import dev.sluice.platform.json.JsonValue;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The value that a filter rule compares with the value in an event. Everything that depends only
/// on the operand is prepared once, when the filter is parsed. Immutable.
///
/// @param string the value if it is a string, otherwise empty
/// @param number the value if it is a number, otherwise empty
/// @param search the prepared search for the value as a substring if it is a string, otherwise
///   empty
/// @param elements the elements of the list if the operator is `in`, otherwise empty
/// @param strings the elements that are strings
record FilterOperand(
        JsonValue json,
        JsonMatcher matcher,
        Optional<String> string,
        Optional<JsonNumber> number,
        Optional<SubstringSearch> search,
        JsonMatcherSet elements,
        Set<String> strings) {

    FilterOperand {
        strings = Set.copyOf(strings);
    }

    static FilterOperand of(FilterOperator operator, JsonValue json) {
        var elements = operator == FilterOperator.IN ? json.elements() : List.<JsonValue>of();
        var strings = new HashSet<String>();
        elements.forEach(element -> element.string().ifPresent(strings::add));
        return new FilterOperand(
                json,
                JsonMatcher.of(json),
                json.string(),
                json.number(),
                json.string().map(SubstringSearch::of),
                JsonMatcherSet.of(elements),
                strings);
    }

    boolean isTrue() {
        return json.bool().orElse(false);
    }
}
