package dev.sluice.relay.send;

/// What a parcel holds, for tests of other rooms.
public final class Opened {

    private Opened() {}

    /// Not to be changed.
    public static byte[] body(Parcel parcel) {
        return parcel.body().bytes();
    }
}
