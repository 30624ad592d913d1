package dev.sluice.platform.db;

/// Whose request the current thread is working on, for a pool whose connections are shared between
/// owners ([Db#openShared]).
///
/// The owner belongs to the thread and not to each call, because a request uses the pool in many
/// places, and none of them could choose another owner. It can change once more is known about the
/// request. Work that is no request, such as a chore, belongs to the server itself.
public final class ConnectionOwner {

    private static final ScopedValue<ConnectionOwner> CURRENT = ScopedValue.newInstance();
    static final Object SERVER = "server";

    /// Read and written only by threads that handle the request, one after another.
    private volatile Object owner;

    /// @param owner for whom the work is done; compared with `equals`
    public ConnectionOwner(Object owner) {
        this.owner = owner;
    }

    /// Runs `work` for this owner.
    public <T, X extends Throwable> T call(ScopedValue.CallableOp<T, X> work) throws X {
        return ScopedValue.where(CURRENT, this).call(work);
    }

    /// Changes the owner of the current work, if that is a request's.
    public static void change(Object owner) {
        if (CURRENT.isBound()) {
            CURRENT.get().owner = owner;
        }
    }

    /// Returns the owner of the current work.
    public static Object current() {
        return CURRENT.isBound() ? CURRENT.get().owner : SERVER;
    }
}
