package dev.sluice.platform.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// Finds who answers a path. Patterns are literal segments and `{names}`; a literal wins over a
/// name. A trailing slash makes no difference.
///
/// Filled while the server is wired, read-only after that.
public final class Router {

    private record Route(String method, String pattern, List<String> segments, Endpoint endpoint) {}

    private record Found(Endpoint endpoint, Map<String, String> parts) {}

    private final Map<Integer, List<Route>> byLength = new HashMap<>();
    private final Map<String, Endpoint> prefixes = new LinkedHashMap<>();

    public Router get(String pattern, Endpoint endpoint) {
        return add("GET", pattern, endpoint);
    }

    public Router post(String pattern, Endpoint endpoint) {
        return add("POST", pattern, endpoint);
    }

    public Router patch(String pattern, Endpoint endpoint) {
        return add("PATCH", pattern, endpoint);
    }

    public Router delete(String pattern, Endpoint endpoint) {
        return add("DELETE", pattern, endpoint);
    }

    private Router add(String method, String pattern, Endpoint endpoint) {
        var segments = segments(pattern);
        byLength.computeIfAbsent(segments.size(), _ -> new ArrayList<>())
                .add(new Route(method, pattern, segments, endpoint));
        return this;
    }

    /// Everything below `prefix`, whatever the method.
    public Router mount(String prefix, Endpoint endpoint) {
        prefixes.put(prefix, endpoint);
        return this;
    }

    /// Every route as `METHOD pattern`, in order.
    public List<String> routes() {
        var all = new TreeSet<String>();
        byLength.values()
                .forEach(routes -> routes.forEach(r -> all.add(r.method() + " " + r.pattern())));
        return List.copyOf(all);
    }

    /// @throws ApiException 404 for an unknown path, 405 with `Allow` for another method
    Reply answer(Request request) throws IOException {
        String path = request.path();
        for (var mounted : prefixes.entrySet()) {
            if (path.startsWith(mounted.getKey())) {
                return mounted.getValue().answer(request);
            }
        }
        var found = find(request.method(), segments(path));
        request.name(found.parts());
        return found.endpoint().answer(request);
    }

    private Found find(String method, List<String> path) {
        var allowed = new TreeSet<String>();
        Optional<Found> best = Optional.empty();
        for (var route : byLength.getOrDefault(path.size(), List.of())) {
            var parts = match(route.segments(), path);
            if (parts.isEmpty()) {
                continue;
            }
            allowed.add(route.method());
            boolean better = best.isEmpty() || parts.get().size() < best.get().parts().size();
            if (better && answers(route.method(), method)) {
                best = Optional.of(new Found(route.endpoint(), parts.get()));
            }
        }
        if (allowed.isEmpty()) {
            throw new ApiException(ErrorStatus.NOT_FOUND, "There is nothing at this path.");
        }
        return best.orElseThrow(() ->
                new ApiException(
                                ErrorStatus.METHOD_NOT_ALLOWED,
                                "This path does not answer " + method + ".")
                        .with(new Header("Allow", String.join(", ", allowed))));
    }

    private static boolean answers(String route, String method) {
        return route.equals(method) || (route.equals("GET") && method.equals("HEAD"));
    }

    private static Optional<Map<String, String>> match(List<String> pattern, List<String> path) {
        var parts = new HashMap<String, String>();
        for (int i = 0; i < pattern.size(); i++) {
            String expected = pattern.get(i);
            if (expected.startsWith("{")) {
                parts.put(expected.substring(1, expected.length() - 1), path.get(i));
            } else if (!expected.equals(path.get(i))) {
                return Optional.empty();
            }
        }
        return Optional.of(parts);
    }

    private static List<String> segments(String path) {
        var segments = new ArrayList<>(List.of(path.split("/", -1)));
        if (segments.getLast().isEmpty()) {
            segments.removeLast();
        }
        return segments;
    }
}
