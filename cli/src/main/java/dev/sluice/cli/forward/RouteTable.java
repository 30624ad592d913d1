package dev.sluice.cli.forward;

import dev.sluice.cli.shell.CommandException;

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

    private final Optional<ForwardTarget> otherwise;
    private final Map<String, ForwardTarget> bySource = new LinkedHashMap<>();

    /// @param otherwise the address for sources without a route
    /// @param routes the `--route` options, such as `Shop=3000`
    /// @param sourceId finds the id of a source by its id or name
    public RouteTable(
            Optional<String> otherwise, List<String> routes, UnaryOperator<String> sourceId) {
        this.otherwise = otherwise.map(ForwardTarget::parse);
        for (String route : routes) {
            int equals = route.lastIndexOf('=');
            if (equals < 1) {
                throw CommandException.usage(
                        "'" + route + "' is not a route.", "Write it like --route Shop=3000.");
            }
            var target = ForwardTarget.parse(route.substring(equals + 1));
            bySource.put(sourceId.apply(route.substring(0, equals)), target);
        }
        if (this.otherwise.isEmpty() && bySource.isEmpty()) {
            throw CommandException.usage(
                    "There is no address to forward to.",
                    "Such as --forward-to 3000, or SLUICE_FORWARD_TO.");
        }
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
