package dev.sluice.cli.forward;

import dev.sluice.cli.shell.CommandException;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/// Maps each source to the local address that gets its events.
public final class RouteTable {

    private record RouteOption(String source, ForwardTarget target) {}

    private final Optional<ForwardTarget> otherwise;
    private final Map<String, ForwardTarget> bySource = new LinkedHashMap<>();

    /// @param otherwise the address for sources without a route
    /// @param routes the `--route` options, such as `Shop=3000`
    /// @param sourceId returns a source's id, given its id or name
    public RouteTable(
            Optional<String> otherwise, List<String> routes, UnaryOperator<String> sourceId) {
        this.otherwise = otherwise.map(ForwardTarget::parse);
        for (String text : routes) {
            var route = parse(text);
            bySource.put(sourceId.apply(route.source()), route.target());
        }
        if (this.otherwise.isEmpty() && bySource.isEmpty()) {
            throw CommandException.usage(
                    "There is no address to forward to.",
                    "Such as --forward-to 3000, or SLUICE_FORWARD_TO.");
        }
    }

    /// Splits a route at the first `=` that is followed by a valid address. The source's name and
    /// the address's query can also contain `=`.
    private static RouteOption parse(String text) {
        for (int equals = text.indexOf('=', 1);
                equals > 0;
                equals = text.indexOf('=', equals + 1)) {
            var target = ForwardTarget.find(text.substring(equals + 1));
            if (target.isPresent()) {
                return new RouteOption(text.substring(0, equals), target.get());
            }
        }
        throw CommandException.usage(
                "'" + text + "' is not a route.",
                "Write it like --route Shop=3000 or --route Shop=localhost:3000/hook.");
    }

    /// Returns the ids of the sources that have a route, in the same order as the routes.
    public Set<String> sourceIds() {
        return Collections.unmodifiableSet(bySource.keySet());
    }

    public Optional<ForwardTarget> target(String sourceId) {
        return Optional.ofNullable(bySource.get(sourceId)).or(() -> otherwise);
    }

    public Set<ForwardTarget> targets() {
        var targets = new LinkedHashSet<ForwardTarget>();
        otherwise.ifPresent(targets::add);
        targets.addAll(bySource.values());
        return targets;
    }

    @Override
    public String toString() {
        return targets().stream().map(ForwardTarget::toString).collect(Collectors.joining(", "));
    }
}
