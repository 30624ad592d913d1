package dev.sluice.relay.send;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// A name service that says what a test tells it to.
final class ScriptedLookup implements Lookup {

    private final Map<String, List<List<InetAddress>>> answers = new HashMap<>();

    /// The next answer for the name; the last one given is for all further questions too.
    synchronized ScriptedLookup says(String name, String... addresses) {
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
