package dev.sluice.engine.send;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// A DNS lookup with scripted answers.
final class ScriptedDnsLookup implements DnsLookup {

    private final Map<String, List<List<InetAddress>>> answers = new HashMap<>();

    /// Adds the next answer for the name. The last one also answers all later lookups.
    synchronized ScriptedDnsLookup resolves(String name, String... addresses) {
        answers.computeIfAbsent(name, _ -> new ArrayList<>())
                .add(Stream.of(addresses).map(InetAddress::ofLiteral).toList());
        return this;
    }

    @Override
    public synchronized List<InetAddress> addresses(String name) throws UnknownHostException {
        var script = answers.get(name);
        if (script == null) {
            throw new UnknownHostException(name);
        }
        return script.size() > 1 ? script.removeFirst() : script.getFirst();
    }
}
