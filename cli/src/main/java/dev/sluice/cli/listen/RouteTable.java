package dev.sluice.cli.listen;

import dev.sluice.cli.forward.ForwardTarget;
import dev.sluice.cli.shell.CommandException;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/// Which source's events go where.
final class RouteTable {

    private final Optional<ForwardTarget> otherwise;
    private final Map<String, ForwardTarget> bySource = new LinkedHashMap<>();

    /// @param otherwise for sources without a route of their own
    /// @param routes such as `Shop=3000`
    /// @param sourceId finds the id of a source by its id or name
    RouteTable(Optional<String> otherwise, List<String> routes, UnaryOperator<String> sourceId) {
        this.otherwise = otherwise.map(ForwardTarget::parse);
        for (String route : routes) {
            int equals = route.lastIndexOf('=');
            if (equals < 1) {
                throw CommandException.usage(
                        "'" + route + "' is no route.", "Such as --route Shop=3000.");
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

    Optional<ForwardTarget> target(String sourceId) {
        return Optional.ofNullable(bySource.get(sourceId)).or(() -> otherwise);
    }

    Set<ForwardTarget> targets() {
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
