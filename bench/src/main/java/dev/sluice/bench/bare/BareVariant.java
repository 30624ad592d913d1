package dev.sluice.bench.bare;

import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.UsageException;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// How a bare pipeline does its work, where there is a choice.
///
/// @param committers threads that store what comes in, a connection each
/// @param rests whether a batch waits for company, as in the relay
/// @param prepares whether the server keeps the plan of what is not COPY
/// @param flags of the JVM, after the relay's own
public record BareVariant(
        Client client,
        Form form,
        int committers,
        boolean rests,
        boolean prepares,
        List<String> flags) {

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

    /// As the relay does it. The others differ from it in one thing each.
    public static final BareVariant LEAN =
            new BareVariant(Client.ASYNC, Form.COPY, 1, true, true, List.of());

    public BareVariant with(Client other) {
        return new BareVariant(other, form, committers, rests, prepares, flags);
    }

    public BareVariant with(Form other) {
        return new BareVariant(client, other, committers, rests, prepares, flags);
    }

    public BareVariant committing(int threads) {
        return new BareVariant(client, form, threads, rests, prepares, flags);
    }

    public BareVariant restless() {
        return new BareVariant(client, form, committers, false, prepares, flags);
    }

    public BareVariant unprepared() {
        return new BareVariant(client, form, committers, rests, false, flags);
    }

    public BareVariant flags(String... more) {
        return new BareVariant(client, form, committers, rests, prepares, List.of(more));
    }

    /// Without the flags, which are the JVM's.
    static BareVariant from(Options options) {
        return new BareVariant(
                one(Client.class, options, "client"),
                one(Form.class, options, "form"),
                Math.max(1, options.number("committers", 1)),
                !options.flag("restless"),
                !options.flag("unprepared"),
                List.of());
    }

    List<String> arguments() {
        var arguments = new ArrayList<String>();
        arguments.addAll(List.of("--client", name(client), "--form", name(form)));
        arguments.addAll(List.of("--committers", Integer.toString(committers)));
        if (!rests) {
            arguments.add("--restless");
        }
        if (!prepares) {
            arguments.add("--unprepared");
        }
        return arguments;
    }

    @Override
    public String toString() {
        return String.join(
                ", ",
                "client " + name(client),
                name(form),
                committers + " committing",
                rests ? "rests" : "no rests",
                prepares ? "prepared" : "not prepared",
                flags.isEmpty() ? "the relay's flags" : String.join(" ", flags));
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
