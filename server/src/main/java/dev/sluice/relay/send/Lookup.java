package dev.sluice.relay.send;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/// Asks for the addresses of a host name. May block for as long as it likes.
interface Lookup {

    List<InetAddress> addresses(String name) throws UnknownHostException;

    /// The machine's own resolver.
    static Lookup system() {
        return name -> List.of(InetAddress.getAllByName(name));
    }
}
