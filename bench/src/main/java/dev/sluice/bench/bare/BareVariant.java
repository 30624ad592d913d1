package dev.sluice.bench.bare;

import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.UsageException;

import java.util.List;
import java.util.Locale;

/// How a bare pipeline does its work, where there is a choice.
///
/// @param committers threads that store what comes in, a connection each
public record BareVariant(Client client, Form form, int committers) {

    /// The HTTP library's two clients.
    public enum Client {
        ASYNC,
        CLASSIC
    }

    /// How the events of a batch are written.
    public enum Form {
        COPY,
        UNNEST
    }

    /// The cheapest of those that `candidates` compares.
    public static final BareVariant LEAN = new BareVariant(Client.ASYNC, Form.COPY, 1);

    static BareVariant from(Options options) {
        return new BareVariant(
                one(Client.class, options, "client"),
                one(Form.class, options, "form"),
                Math.max(1, options.number("committers", 1)));
    }

    List<String> arguments() {
        return List.of(
                "--client", name(client),
                "--form", name(form),
                "--committers", Integer.toString(committers));
    }

    @Override
    public String toString() {
        return "client %s, %s, %d committing".formatted(name(client), name(form), committers);
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /// The first one where none is named.
    private static <E extends Enum<E>> E one(Class<E> type, Options options, String option) {
        E[] all = type.getEnumConstants();
        String wanted = options.text(option).orElse(name(all[0]));
        for (E value : all) {
            if (name(value).equals(wanted)) {
                return value;
            }
        }
        throw new UsageException("--" + option + " has no value '" + wanted + "'");
    }
}
