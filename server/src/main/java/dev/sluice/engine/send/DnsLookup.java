package dev.sluice.engine.send;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/// Resolves a host name to IP addresses. May block indefinitely.
interface DnsLookup {

    List<InetAddress> addresses(String name) throws UnknownHostException;

    /// Returns a lookup that uses the operating system's resolver.
    static DnsLookup system() {
        return name -> List.of(InetAddress.getAllByName(name));
    }
}
