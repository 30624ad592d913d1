package dev.sluice.relay.dispatch;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Outcome;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.send.Parcel;
import dev.sluice.relay.send.Sender;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/// The receivers, and the way to them.
final class ModelWire {

    /// How a receiver feels.
    enum Mood {
        WELL,
        FLAKY,
        REFUSING,
        FAILING,
        HANGING
    }

    private static final Mood[] MOODS = Mood.values();

    private final Baton baton;
    private final RandomGenerator random;
    private final ModelDatabase database;
    private final Watch watch;
    private final Map<DestinationId, Mood> moods = new HashMap<>();
    private boolean isQuick;

    ModelWire(Baton baton, RandomGenerator random, ModelDatabase database, Watch watch) {
        this.baton = baton;
        this.random = random;
        this.database = database;
        this.watch = watch;
    }

    void changeMood(DestinationId destination) {
        var mood = MOODS[random.nextInt(MOODS.length)];
        moods.put(destination, mood);
        baton.note("%s is %s", destination.value(), mood);
    }

    /// Nobody hangs or fails any more, and everybody answers at once. A circuit would let one
    /// attempt through each cooldown, which is right and takes long.
    void letGo() {
        isQuick = true;
        moods.replaceAll((_, mood) -> mood == Mood.REFUSING ? mood : Mood.WELL);
    }

    /// One more node's way out.
    Sender of(ModelLife life) {
        var atOnce = new HashMap<DestinationId, Integer>();
        return (parcel, mayStart) -> send(life, atOnce, parcel, mayStart);
    }

    private Outcome send(
            ModelLife life,
            Map<DestinationId, Integer> atOnce,
            Parcel parcel,
            BooleanSupplier mayStart) {
        var made = watch.of(parcel.delivery());
        var route = life.routing().route(made.connection());
        if (route.isEmpty() || route.get().hold(made.trigger() == Trigger.RESEND).isPresent()) {
            baton.violated("%s sends %s, which is held", life, parcel.delivery());
            return nothing(ErrorCode.INTERRUPTED);
        }
        var destination = route.get().destination();
        int now = atOnce.merge(destination.id(), 1, Integer::sum);
        if (now > destination.spec().maxInFlight()) {
            baton.violated("%s has %s at once at %s", life, now, destination.id());
        }
        try {
            if (random.nextInt(8) == 0) {
                baton.sleep(Duration.ofMillis(random.nextInt(300))); // connecting
            }
            if (!mayStart.getAsBoolean()) {
                return nothing(ErrorCode.INTERRUPTED);
            }
            return exchange(life, parcel, destination.id());
        } finally {
            atOnce.merge(destination.id(), -1, Integer::sum);
        }
    }

    private Outcome exchange(ModelLife life, Parcel parcel, DestinationId destination) {
        baton.note("attempt %s of %s", parcel.attempt(), parcel.delivery());
        var flight = watch.started(database.store(), life, parcel.delivery(), parcel.attempt());
        var mood = moods.getOrDefault(destination, Mood.WELL);
        var time = time(mood, parcel.timeout());
        try {
            baton.sleep(time);
        } finally {
            flight.endedAt = baton.now();
        }
        var outcome = outcome(mood, time);
        if (outcome instanceof Outcome.Answered(int status, _, _, _)) {
            flight.isSuccess = status == 200;
            flight.isRefusal = status == 404;
        }
        baton.note("%s: %s", parcel.delivery(), outcome);
        return outcome;
    }

    private Duration time(Mood mood, Duration timeout) {
        if (isQuick) {
            return Duration.ofMillis(random.nextInt(50));
        }
        if (mood == Mood.HANGING) {
            return timeout;
        }
        return Duration.ofMillis(
                random.nextInt(10) == 0 ? random.nextLong(timeout.toMillis()) : random.nextInt(50));
    }

    private Outcome outcome(Mood mood, Duration time) {
        return switch (mood) {
            case WELL -> answer(200, time);
            case FLAKY ->
                    switch (random.nextInt(5)) {
                        case 0, 1 -> answer(200, time);
                        case 2 -> answer(503, time);
                        case 3 -> nothing(ErrorCode.CONNECTION_RESET);
                        default -> answer(500, time);
                    };
            case REFUSING -> answer(random.nextBoolean() ? 404 : 429, time);
            case FAILING -> answer(500, time);
            case HANGING -> nothing(ErrorCode.RESPONSE_TIMEOUT);
        };
    }

    private Outcome answer(int status, Duration time) {
        Optional<Duration> patience =
                status >= 429 && random.nextInt(4) == 0
                        ? Optional.of(Duration.ofSeconds(random.nextInt(10)))
                        : Optional.empty();
        return new Outcome.Answered(status, "", time, patience);
    }

    private static Outcome nothing(ErrorCode code) {
        return new Outcome.Unreachable(code, "simulated", Duration.ZERO);
    }
}
