package dev.sluice;

import dev.sluice.account.access.FirstStart;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.platform.config.Settings;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Cidr;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.Secret;
import dev.sluice.relay.circuit.Cooldowns;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/// All settings, read and checked. `docs/reference/config.md` says what each one means.
///
/// @param database empty for the embedded one
/// @param masterKey base64 of 32 bytes; generated when empty
record Config(
        String host,
        int port,
        String baseUrl,
        Path dataDir,
        Optional<Database> database,
        Optional<Secret> masterKey,
        FirstStart.Settings firstStart,
        PlanCatalog plans,
        AddressPolicy addresses,
        String headerPrefix,
        String logFormat,
        double retryJitter,
        Cooldowns cooldowns,
        Duration stopDelay) {

    private static final int LEAST_KEY_LENGTH = 32;
    private static final Duration LONGEST_STOP_DELAY = Duration.ofMinutes(5);

    /// Reads everything; what is wrong becomes a complaint of `settings`, and the result is not to
    /// be used then.
    static Config read(Settings settings) {
        String host = settings.text("SLUICE_HOST", "127.0.0.1");
        int port = settings.integer("SLUICE_PORT", 8080, 0, 65_535);
        var plans = settings.read("SLUICE_PLANS_FILE", file -> PlanCatalog.read(Path.of(file)));
        var config =
                new Config(
                        host,
                        port,
                        settings.read("SLUICE_BASE_URL", Config::baseUrl)
                                .orElse("http://localhost:" + port),
                        Path.of(settings.text("SLUICE_DATA_DIR", "data")),
                        settings.read("SLUICE_DATABASE_URL", Database::parse),
                        settings.read("SLUICE_MASTER_KEY", Config::masterKey),
                        firstStart(settings, plans.orElseGet(PlanCatalog::standard)),
                        plans.orElseGet(PlanCatalog::standard),
                        AddressPolicy.allowing(
                                settings.read("SLUICE_ALLOW_PRIVATE_DESTINATIONS", Config::ranges)
                                        .orElse(List.of())),
                        settings.read("SLUICE_HEADER_PREFIX", Config::headerPrefix)
                                .orElse("X-Service"),
                        settings.oneOf("SLUICE_LOG_FORMAT", "text", List.of("text", "json")),
                        settings.fraction("SLUICE_RETRY_JITTER", 0.2),
                        cooldowns(settings),
                        stopDelay(settings));
        if (config.database().isPresent() && config.masterKey().isEmpty()) {
            settings.complain(
                    "SLUICE_MASTER_KEY",
                    "is required with SLUICE_DATABASE_URL: base64 of 32 bytes, such as from"
                            + " `openssl rand -base64 32`");
        }
        checkLater(settings);
        return config;
    }

    private static FirstStart.Settings firstStart(Settings settings, PlanCatalog plans) {
        String plan =
                settings.text(
                        "SLUICE_WORKSPACE_PLAN",
                        plans.find("business").isPresent() ? "business" : plans.names().getLast());
        if (plans.find(plan).isEmpty()) {
            settings.complain(
                    "SLUICE_WORKSPACE_PLAN",
                    "must be one of " + String.join(", ", plans.names()) + ", not '" + plan + "'");
        }
        return new FirstStart.Settings(
                settings.read("SLUICE_ADMIN_EMAIL", Config::email).orElse("admin@localhost"),
                settings.read("SLUICE_ADMIN_PASSWORD", Config::password),
                settings.read("SLUICE_ADMIN_API_KEY", Config::apiKey),
                plan);
    }

    private static Cooldowns cooldowns(Settings settings) {
        var standard = Cooldowns.STANDARD;
        var cooldowns =
                new Cooldowns(
                        settings.duration("SLUICE_CIRCUIT_COOLDOWN", standard.first()),
                        settings.duration("SLUICE_CIRCUIT_MAX_COOLDOWN", standard.longest()));
        if (cooldowns.longest().compareTo(cooldowns.first()) < 0) {
            settings.complain(
                    "SLUICE_CIRCUIT_MAX_COOLDOWN",
                    "must be no shorter than SLUICE_CIRCUIT_COOLDOWN, "
                            + cooldowns.first().toSeconds()
                            + "s");
        }
        return cooldowns;
    }

    private static Duration stopDelay(Settings settings) {
        var delay = settings.duration("SLUICE_STOP_DELAY", Duration.ZERO);
        if (delay.compareTo(LONGEST_STOP_DELAY) > 0) {
            settings.complain("SLUICE_STOP_DELAY", "must be at most 5m");
        }
        return delay;
    }

    /// Settings of what comes later: checked already, so that a mistake shows at once.
    private static void checkLater(Settings settings) {
        settings.oneOf("SLUICE_REGISTRATION", "closed", List.of("open", "closed"));
        settings.read("SLUICE_SMTP_URL", text -> url(text, List.of("smtp", "smtps")));
        settings.read("SLUICE_MAIL_FROM", Config::email);
        settings.read("SLUICE_MESSENGER_API_URL", text -> url(text, List.of("http", "https")));
        settings.integer("SLUICE_METRICS_PORT", 0, 0, 65_535);
        settings.text("SLUICE_METRICS_HOST", "127.0.0.1");
        settings.read("SLUICE_TRUSTED_PROXIES", Config::ranges);
    }

    private static String baseUrl(String text) {
        url(text, List.of("http", "https"));
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    /// The value is not shown: it may hold a password.
    private static URI url(String text, List<String> schemes) {
        try {
            var uri = URI.create(text);
            if (uri.getScheme() != null
                    && schemes.contains(uri.getScheme())
                    && uri.getHost() != null) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw new IllegalArgumentException(
                "must be an absolute URL that starts with "
                        + String.join(":// or ", schemes)
                        + "://");
    }

    private static List<Cidr> ranges(String text) {
        return Arrays.stream(text.split(",", -1)).map(String::strip).map(Cidr::parse).toList();
    }

    private static Secret masterKey(String text) {
        try {
            if (Base64.getDecoder().decode(text).length == Sealer.MASTER_KEY_BYTES) {
                return new Secret(text);
            }
        } catch (IllegalArgumentException e) {
            // Said below, without the value.
        }
        throw new IllegalArgumentException(
                "must be base64 of exactly " + Sealer.MASTER_KEY_BYTES + " bytes");
    }

    private static String email(String text) {
        if (text.length() > 254 || !text.matches("[^@\\s]+@[^@\\s]+")) {
            throw new IllegalArgumentException("must be an e-mail address, not '" + text + "'");
        }
        return text;
    }

    private static Secret password(String text) {
        if (text.length() < 8 || text.length() > 200) {
            throw new IllegalArgumentException("must have 8 to 200 characters");
        }
        return new Secret(text);
    }

    private static Secret apiKey(String text) {
        if (text.length() < LEAST_KEY_LENGTH || !text.matches("[A-Za-z0-9._~+/-]+")) {
            throw new IllegalArgumentException(
                    "must have "
                            + LEAST_KEY_LENGTH
                            + " or more characters of A-Z a-z 0-9 - . _ ~ + /");
        }
        return new Secret(text);
    }

    private static String headerPrefix(String text) {
        if (!HeaderSyntax.isName(text) || text.endsWith("-") || text.length() > 40) {
            throw new IllegalArgumentException(
                    "must be the beginning of a header name, such as X-Service, not '"
                            + text
                            + "'");
        }
        return text;
    }
}
