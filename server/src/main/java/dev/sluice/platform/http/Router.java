package dev.sluice.platform.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Passes each request to the [Endpoint] for its method and path.
///
/// A pattern consists of literal segments and `{names}`. If several patterns match, only those with
/// the fewest names are considered, even if none of them accepts the request's method. Therefore,
/// if `/sources/trash` is a pattern, `/sources/{id}` never matches that path. The endpoint for GET
/// also handles HEAD. A trailing slash makes no difference. Mounted prefixes are checked before all
/// patterns. A path that matches nothing goes to the endpoint given to `otherwise`.
///
/// Routes are added before the server starts; after that the router is read-only.
public final class Router {

    private record RouteEntry(
            String method, String pattern, List<String> segments, Endpoint endpoint) {}

    private record RouteMatch(Endpoint endpoint, Map<String, String> pathParameters) {}

    private final Map<Integer, List<RouteEntry>> byLength = new HashMap<>();
    private final Map<String, Endpoint> prefixes = new LinkedHashMap<>();
    private Endpoint fallback =
            _ -> {
                throw new ApiException(ApiErrorCode.NOT_FOUND, "There is nothing at this path.");
            };

    public Router get(String pattern, Endpoint endpoint) {
        return add("GET", pattern, endpoint);
    }

    public Router post(String pattern, Endpoint endpoint) {
        return add("POST", pattern, endpoint);
    }

    public Router put(String pattern, Endpoint endpoint) {
        return add("PUT", pattern, endpoint);
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
                .add(new RouteEntry(method, pattern, segments, endpoint));
        return this;
    }

    /// Routes every path that starts with `prefix` to `endpoint`, for any method.
    public Router mount(String prefix, Endpoint endpoint) {
        prefixes.put(prefix, endpoint);
        return this;
    }

    /// Sets the endpoint for every path that nothing else matches, for any method. By default,
    /// requests to such a path are answered with a 404.
    public Router otherwise(Endpoint endpoint) {
        fallback = endpoint;
        return this;
    }

    /// Returns every route as `METHOD pattern`, sorted, without the mounted prefixes.
    public List<String> routes() {
        var all = new TreeSet<String>();
        byLength.values()
                .forEach(routes -> routes.forEach(r -> all.add(r.method() + " " + r.pattern())));
        return List.copyOf(all);
    }

    /// @throws ApiException 404 for an unknown path if `otherwise` was not called, 405 with an
    ///   `Allow` header when the path exists only for other methods
    Reply answer(Request request) throws IOException {
        String path = request.path();
        for (var mounted : prefixes.entrySet()) {
            if (path.startsWith(mounted.getKey())) {
                return mounted.getValue().answer(request);
            }
        }
        var found = find(request.method(), segments(path));
        request.setPathParameters(found.pathParameters());
        return found.endpoint().answer(request);
    }

    private RouteMatch find(String method, List<String> path) {
        var allowed = new TreeSet<String>();
        Optional<RouteMatch> best = Optional.empty();
        int fewestNames = Integer.MAX_VALUE;
        for (var route : byLength.getOrDefault(path.size(), List.of())) {
            var parts = match(route.segments(), path);
            if (parts.isEmpty() || parts.get().size() > fewestNames) {
                continue;
            }
            if (parts.get().size() < fewestNames) {
                fewestNames = parts.get().size();
                best = Optional.empty();
                allowed.clear();
            }
            allowed.add(route.method());
            if (acceptsMethod(route.method(), method)) {
                best = Optional.of(new RouteMatch(route.endpoint(), parts.get()));
            }
        }
        if (allowed.isEmpty()) {
            return new RouteMatch(fallback, Map.of());
        }
        return best.orElseThrow(() -> methodNotAllowed(method, allowed));
    }

    private static ApiException methodNotAllowed(String method, Set<String> routes) {
        var allowed = new TreeSet<>(routes);
        if (routes.contains("GET")) {
            allowed.add("HEAD");
        }
        return new ApiException(
                        ApiErrorCode.METHOD_NOT_ALLOWED,
                        "This path does not support " + method + ".")
                .withHeader(new Header("Allow", String.join(", ", allowed)));
    }

    private static boolean acceptsMethod(String route, String method) {
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
