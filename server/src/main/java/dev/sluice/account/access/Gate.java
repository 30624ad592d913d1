package dev.sluice.account.access;

import dev.sluice.platform.http.Request;

import java.util.function.BiFunction;

/// Who may call a route of the management API, and what the route learns about the caller.
///
/// Every gate authenticates the caller: a new one is made only by narrowing another.
///
/// @param <W> describes the caller, such as [Caller]
public final class Gate<W> {

    /// A member of the current workspace, with an API key or a session. A suspended workspace's
    /// members get 403.
    public static final Gate<Caller> MEMBER = new Gate<>(Authenticator::authenticate);

    /// As [#MEMBER]; the workspace may be suspended.
    public static final Gate<Caller> MEMBER_EVEN_IF_SUSPENDED =
            new Gate<>(Authenticator::authenticateEvenIfSuspended);

    /// As [#MEMBER]; the request may also name its workspace in the query parameter `workspace`.
    public static final Gate<Caller> STREAM = new Gate<>(Authenticator::authenticateStream);

    /// A signed-in person, who need not be a member of any workspace. API keys get 403.
    public static final Gate<Session> PERSON = new Gate<>(Authenticator::session);

    private final BiFunction<Authenticator, Request, W> check;

    private Gate(BiFunction<Authenticator, Request, W> check) {
        this.check = check;
    }

    /// Returns a gate that asks `next` about each caller whom this gate admits.
    public <N> Gate<N> then(BiFunction<W, Request, N> next) {
        return new Gate<>((authenticator, request) ->
                next.apply(check.apply(authenticator, request), request));
    }

    /// Returns a gate that asks `withKey` if the request has an API key, otherwise `withSession`.
    public static <W> Gate<W> either(Gate<W> withKey, Gate<W> withSession) {
        return new Gate<>((authenticator, request) ->
                (Authenticator.sendsKey(request) ? withKey : withSession)
                        .admit(authenticator, request));
    }

    W admit(Authenticator authenticator, Request request) {
        return check.apply(authenticator, request);
    }
}
