package dev.sluice.account.access;

import dev.sluice.platform.db.ConnectionOwner;
import dev.sluice.platform.http.Endpoint;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.http.StreamBody;
import dev.sluice.platform.http.StreamOutput;

import java.io.IOException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// Adds the routes of the management API to the router. Each route says who may call it: its
/// handler runs only for callers whom its [Gate] admits. Routes that anybody may call are added
/// with [#openGet] and [#openPost]. Each route also says which budgets its requests spend: its
/// handler runs only while there is room in all of them.
public final class Api {

    /// Answers the requests of callers whom the route's gate admitted.
    ///
    /// @param <W> describes the caller
    @FunctionalInterface
    public interface Handler<W> {
        Reply answer(W who, Request request) throws IOException;
    }

    private final Router router;
    private final Authenticator authenticator;
    private final Budgets budgets;
    private final SortedSet<String> open = new TreeSet<>();
    private final SortedMap<String, Set<Budget>> budgetsByRoute = new TreeMap<>();

    public Api(Router router, Authenticator authenticator, Budgets budgets) {
        this.router = router;
        this.authenticator = authenticator;
        this.budgets = budgets;
    }

    public <W> void get(String path, Gate<W> gate, Set<Budget> budgets, Handler<W> handler) {
        router.get(path, guarded(name("GET", path, gated(budgets)), gate, handler));
    }

    public <W> void post(String path, Gate<W> gate, Set<Budget> budgets, Handler<W> handler) {
        router.post(path, guarded(name("POST", path, gated(budgets)), gate, handler));
    }

    public <W> void put(String path, Gate<W> gate, Set<Budget> budgets, Handler<W> handler) {
        router.put(path, guarded(name("PUT", path, gated(budgets)), gate, handler));
    }

    public <W> void patch(String path, Gate<W> gate, Set<Budget> budgets, Handler<W> handler) {
        router.patch(path, guarded(name("PATCH", path, gated(budgets)), gate, handler));
    }

    public <W> void delete(String path, Gate<W> gate, Set<Budget> budgets, Handler<W> handler) {
        router.delete(path, guarded(name("DELETE", path, gated(budgets)), gate, handler));
    }

    /// Notes which budgets a route spends, and returns them.
    private Set<Budget> name(String method, String path, Set<Budget> budgets) {
        budgetsByRoute.put(method + " " + path, Set.copyOf(budgets));
        return budgets;
    }

    /// Returns these budgets and the one that is spent when a caller is identified.
    private static Set<Budget> gated(Set<Budget> budgets) {
        var all = EnumSet.of(Budget.REQUESTS);
        all.addAll(budgets);
        return all;
    }

    private <W> Endpoint guarded(Set<Budget> spent, Gate<W> gate, Handler<W> handler) {
        return owned(request -> {
            var who = gate.admit(authenticator, request);
            try (var _ = budgets.take(spent)) {
                return handler.answer(who, request);
            }
        });
    }

    private Endpoint owned(Set<Budget> spent, Endpoint endpoint) {
        return owned(request -> {
            try (var _ = budgets.take(spent)) {
                return endpoint.answer(request);
            }
        });
    }

    /// Returns an endpoint whose requests, with the streams that they answer, use the database for
    /// their owner. That is the client's network until the caller is known.
    private Endpoint owned(Endpoint endpoint) {
        return request -> {
            var owner = new ConnectionOwner(authenticator.network(request));
            return owner.<Reply, IOException>call(() -> endpoint.answer(request))
                    .mapStream(body -> output -> write(owner, body, output));
        };
    }

    private static void write(ConnectionOwner owner, StreamBody body, StreamOutput output)
            throws IOException, InterruptedException {
        boolean isInterrupted =
                owner.<Boolean, IOException>call(() -> {
                    try {
                        body.writeTo(output);
                        return false;
                    } catch (InterruptedException e) {
                        return true;
                    }
                });
        if (isInterrupted) {
            throw new InterruptedException();
        }
    }

    /// Adds a route that anybody may call, without a key or session.
    public void openGet(String path, Set<Budget> budgets, Endpoint endpoint) {
        open.add("GET " + path);
        router.get(path, owned(name("GET", path, budgets), endpoint));
    }

    /// Adds a route that anybody may call, without a key or session.
    public void openPost(String path, Set<Budget> budgets, Endpoint endpoint) {
        open.add("POST " + path);
        router.post(path, owned(name("POST", path, budgets), endpoint));
    }

    /// Returns every route that anybody may call as `METHOD path`, sorted.
    public List<String> openRoutes() {
        return List.copyOf(open);
    }

    /// Returns the budgets that each route spends, by `METHOD path`.
    public SortedMap<String, Set<Budget>> budgetsByRoute() {
        return Collections.unmodifiableSortedMap(budgetsByRoute);
    }
}
