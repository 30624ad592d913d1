package dev.sluice.account.access;

import dev.sluice.platform.db.ConnectionOwner;
import dev.sluice.platform.http.Endpoint;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.http.StreamBody;
import dev.sluice.platform.http.StreamOutput;

import java.io.IOException;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/// Adds the routes of the management API to the router. Each route says who may call it: its
/// handler runs only for callers whom its [Gate] admits. Routes that anybody may call are added
/// with [#openGet] and [#openPost].
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
    private final SortedSet<String> open = new TreeSet<>();

    public Api(Router router, Authenticator authenticator) {
        this.router = router;
        this.authenticator = authenticator;
    }

    public <W> void get(String path, Gate<W> gate, Handler<W> handler) {
        router.get(path, guarded(gate, handler));
    }

    public <W> void post(String path, Gate<W> gate, Handler<W> handler) {
        router.post(path, guarded(gate, handler));
    }

    public <W> void put(String path, Gate<W> gate, Handler<W> handler) {
        router.put(path, guarded(gate, handler));
    }

    public <W> void patch(String path, Gate<W> gate, Handler<W> handler) {
        router.patch(path, guarded(gate, handler));
    }

    public <W> void delete(String path, Gate<W> gate, Handler<W> handler) {
        router.delete(path, guarded(gate, handler));
    }

    private <W> Endpoint guarded(Gate<W> gate, Handler<W> handler) {
        return owned(request -> handler.answer(gate.admit(authenticator, request), request));
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
    public void openGet(String path, Endpoint endpoint) {
        open.add("GET " + path);
        router.get(path, owned(endpoint));
    }

    /// Adds a route that anybody may call, without a key or session.
    public void openPost(String path, Endpoint endpoint) {
        open.add("POST " + path);
        router.post(path, owned(endpoint));
    }

    /// Returns every route that anybody may call as `METHOD path`, sorted.
    public List<String> openRoutes() {
        return List.copyOf(open);
    }
}
