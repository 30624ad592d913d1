package dev.sluice;

import dev.sluice.account.access.InitialSetup;
import dev.sluice.account.assembly.AccountSettings;
import dev.sluice.account.people.PeopleSettings;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.plan.PlanChangePolicy;
import dev.sluice.engine.settle.CooldownBackoff;
import dev.sluice.platform.config.Settings;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.json.VisibleText;
import dev.sluice.platform.mail.MailMessage;
import dev.sluice.platform.mail.MailServer;
import dev.sluice.platform.mail.MailSettings;
import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Cidr;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.Secret;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// A server's settings, after validation. `docs/reference/config.md` describes each setting.
///
/// @param mail how to send mail; empty if the server sends none
/// @param messengerApiUrl the base URL of the bot API that `messenger` alert channels use, without
///   a trailing slash; empty to use the API's public address
record Config(
        ServerSettings server,
        StorageSettings storage,
        AccountSettings account,
        DeliverySettings delivery,
        Optional<MailSettings> mail,
        Optional<String> messengerApiUrl,
        List<String> alertMailDomains,
        TelemetrySettings telemetry) {

    /// The settings for the server's metrics, traces and log.
    ///
    /// @param metrics empty if metrics are off
    /// @param tracing OpenTelemetry's own settings, by name; empty if tracing is off
    record TelemetrySettings(
            Optional<MetricsSettings> metrics, Map<String, String> tracing, LogSettings log) {}

    Optional<MetricsSettings> metrics() {
        return telemetry.metrics();
    }

    Map<String, String> tracing() {
        return telemetry.tracing();
    }

    LogSettings log() {
        return telemetry.log();
    }

    /// @param port 0 means any free port
    /// @param baseUrl the server's public address, without a trailing slash
    /// @param stopDelay how long the server keeps serving requests after it has been asked to stop.
    ///   During this time, the status route reports that the server is stopping
    record ServerSettings(String host, int port, String baseUrl, Duration stopDelay) {}

    /// @param port 0 means any free port
    record MetricsSettings(String host, int port) {}

    /// @param format `text` or `json`
    /// @param level `error`, `warn`, `info` or `debug`
    record LogSettings(String format, String level) {}

    /// @param database the external database; empty to run the embedded PostgreSQL
    /// @param masterKey 32 bytes in base64; if empty, the server uses the key in the data
    ///   directory, creating it if needed
    /// @param namesCompression whether `SLUICE_PAYLOAD_COMPRESSION` is set, which has no effect any
    ///   more
    record StorageSettings(
            Path dataDir,
            Optional<Database> database,
            Optional<Secret> masterKey,
            boolean namesCompression) {}

    /// @param headerPrefix the prefix of the server's own header names, such as `X-Service`
    /// @param retryJitter the largest random variation of a retry interval in either direction, as
    ///   a fraction (0 to 1) of the interval
    record DeliverySettings(
            AddressPolicy addressPolicy,
            String headerPrefix,
            double retryJitter,
            CooldownBackoff cooldowns) {}

    private static final int NO_PORT = -1;

    private static final Pattern MAIL_DOMAIN =
            Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
    private static final int MIN_API_KEY_LENGTH = 32;
    private static final Duration MAX_STOP_DELAY = Duration.ofMinutes(5);

    /// Reads all settings. Invalid values are recorded as errors in `settings`. The caller must not
    /// use the result if `settings` has any errors.
    static Config read(Settings settings) {
        var server = server(settings);
        var plans =
                settings.read("SLUICE_PLANS_FILE", file -> PlanCatalog.read(Path.of(file)))
                        .orElseGet(PlanCatalog::builtIn);
        var delivery = delivery(settings);
        var config =
                new Config(
                        server,
                        storage(settings),
                        new AccountSettings(
                                plans,
                                planChangePolicy(settings),
                                initialSetup(settings, plans),
                                people(settings, server, plans),
                                delivery.headerPrefix()),
                        delivery,
                        mail(settings),
                        settings.read("SLUICE_MESSENGER_API_URL", Config::baseUrl),
                        settings.read("SLUICE_ALERT_MAIL_DOMAINS", Config::mailDomains)
                                .orElse(List.of()),
                        new TelemetrySettings(
                                metrics(settings),
                                tracing(settings),
                                new LogSettings(
                                        settings.oneOf(
                                                "SLUICE_LOG_FORMAT",
                                                "text",
                                                List.of("text", "json")),
                                        settings.oneOf(
                                                "SLUICE_LOG_LEVEL",
                                                "info",
                                                List.of("error", "warn", "info", "debug")))));
        if (config.storage().database().isPresent() && config.storage().masterKey().isEmpty()) {
            settings.addError(
                    "SLUICE_MASTER_KEY",
                    "is required with SLUICE_DATABASE_URL: base64 of 32 bytes, such as from"
                            + " `openssl rand -base64 32`");
        }
        return config;
    }

    private static ServerSettings server(Settings settings) {
        String host = settings.text("SLUICE_HOST", "127.0.0.1");
        int port = settings.integer("SLUICE_PORT", 8080, 0, 65_535);
        return new ServerSettings(
                host,
                port,
                settings.read("SLUICE_BASE_URL", Config::baseUrl)
                        .orElse("http://localhost:" + port),
                stopDelay(settings));
    }

    private static Optional<MetricsSettings> metrics(Settings settings) {
        String host = settings.text("SLUICE_METRICS_HOST", "127.0.0.1");
        int port = settings.integer("SLUICE_METRICS_PORT", NO_PORT, 0, 65_535);
        return port == NO_PORT ? Optional.empty() : Optional.of(new MetricsSettings(host, port));
    }

    private static Map<String, String> tracing(Settings settings) {
        var all = settings.withPrefix("OTEL_");
        var endpoint =
                settings.read(
                        "OTEL_EXPORTER_OTLP_ENDPOINT", text -> url(text, List.of("http", "https")));
        settings.oneOf("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", List.of("http/protobuf"));
        return endpoint.isPresent() ? all : Map.of();
    }

    private static PeopleSettings people(
            Settings settings, ServerSettings server, PlanCatalog plans) {
        String registration =
                settings.oneOf("SLUICE_REGISTRATION", "closed", List.of("open", "closed"));
        return new PeopleSettings(
                server.baseUrl(),
                plans.names().getFirst(),
                registration.equals("open"),
                settings.read("SLUICE_TRUSTED_PROXIES", Config::ranges).orElse(List.of()));
    }

    private static PlanChangePolicy planChangePolicy(Settings settings) {
        return settings.oneOf("SLUICE_PLAN_CHANGE", "owner", List.of("owner", "operator"))
                        .equals("operator")
                ? PlanChangePolicy.OPERATOR
                : PlanChangePolicy.OWNER;
    }

    private static StorageSettings storage(Settings settings) {
        return new StorageSettings(
                Path.of(settings.text("SLUICE_DATA_DIR", "data")),
                settings.read("SLUICE_DATABASE_URL", Database::parse),
                settings.read("SLUICE_MASTER_KEY", Config::masterKey),
                settings.text("SLUICE_PAYLOAD_COMPRESSION").isPresent());
    }

    private static DeliverySettings delivery(Settings settings) {
        return new DeliverySettings(
                AddressPolicy.allowing(
                        settings.read("SLUICE_ALLOW_PRIVATE_DESTINATIONS", Config::ranges)
                                .orElse(List.of())),
                settings.read("SLUICE_HEADER_PREFIX", Config::headerPrefix).orElse("X-Service"),
                settings.fraction("SLUICE_RETRY_JITTER", 0.2),
                cooldowns(settings));
    }

    private static Optional<MailSettings> mail(Settings settings) {
        var server = settings.read("SLUICE_SMTP_URL", MailServer::parse);
        var from = settings.read("SLUICE_MAIL_FROM", MailMessage::requireAddress);
        if (server.isPresent() && settings.text("SLUICE_MAIL_FROM").isEmpty()) {
            settings.addError(
                    "SLUICE_MAIL_FROM",
                    "is required with SLUICE_SMTP_URL: the address that mails come from");
        }
        return server.flatMap(known -> from.map(address -> new MailSettings(known, address)));
    }

    private static InitialSetup.InitialSetupSettings initialSetup(
            Settings settings, PlanCatalog plans) {
        String plan =
                settings.text(
                        "SLUICE_WORKSPACE_PLAN",
                        plans.find("business").isPresent() ? "business" : plans.names().getLast());
        if (plans.find(plan).isEmpty()) {
            settings.addError(
                    "SLUICE_WORKSPACE_PLAN",
                    "must be one of " + String.join(", ", plans.names()) + ", not '" + plan + "'");
        }
        return new InitialSetup.InitialSetupSettings(
                settings.read("SLUICE_ADMIN_EMAIL", Config::email).orElse("admin@localhost"),
                settings.read("SLUICE_ADMIN_PASSWORD", Config::password),
                settings.read("SLUICE_ADMIN_API_KEY", Config::apiKey),
                plan);
    }

    private static CooldownBackoff cooldowns(Settings settings) {
        var standard = CooldownBackoff.STANDARD;
        var cooldowns =
                new CooldownBackoff(
                        settings.duration("SLUICE_CIRCUIT_COOLDOWN", standard.first()),
                        settings.duration("SLUICE_CIRCUIT_MAX_COOLDOWN", standard.max()));
        if (cooldowns.max().compareTo(cooldowns.first()) < 0) {
            settings.addError(
                    "SLUICE_CIRCUIT_MAX_COOLDOWN",
                    "must be at least SLUICE_CIRCUIT_COOLDOWN, which is "
                            + cooldowns.first().toSeconds()
                            + "s");
        }
        return cooldowns;
    }

    private static Duration stopDelay(Settings settings) {
        var delay = settings.duration("SLUICE_STOP_DELAY", Duration.ZERO);
        if (delay.compareTo(MAX_STOP_DELAY) > 0) {
            settings.addError("SLUICE_STOP_DELAY", "must be at most 5m");
        }
        return delay;
    }

    private static String baseUrl(String text) {
        url(text, List.of("http", "https"));
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    /// Parses a URL. The error message leaves out the value, which may contain a password.
    private static URI url(String text, List<String> schemes) {
        try {
            var uri = URI.create(text);
            if (uri.getScheme() != null
                    && schemes.contains(uri.getScheme())
                    && uri.getHost() != null) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // The exception below describes the mistake.
        }
        throw new IllegalArgumentException(
                "must be an absolute URL that starts with "
                        + String.join(":// or ", schemes)
                        + "://");
    }

    private static List<Cidr> ranges(String text) {
        return Arrays.stream(text.split(",", -1)).map(String::strip).map(Cidr::parse).toList();
    }

    private static List<String> mailDomains(String text) {
        var domains =
                Arrays.stream(text.toLowerCase(Locale.ROOT).split(",", -1))
                        .map(String::strip)
                        .toList();
        if (!domains.stream().allMatch(one -> MAIL_DOMAIN.matcher(one).matches())) {
            throw new IllegalArgumentException(
                    "must be domains such as example.com, separated by commas");
        }
        return domains;
    }

    private static Secret masterKey(String text) {
        try {
            if (Base64.getDecoder().decode(text).length == Sealer.MASTER_KEY_BYTES) {
                return new Secret(text);
            }
        } catch (IllegalArgumentException e) {
            // The exception below describes the mistake and leaves out the secret value.
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
        if (!VisibleText.isVisible(text)) {
            throw new IllegalArgumentException("must have at least one visible character");
        }
        return new Secret(text);
    }

    private static Secret apiKey(String text) {
        if (text.length() < MIN_API_KEY_LENGTH || !text.matches("[A-Za-z0-9._~+/-]+")) {
            throw new IllegalArgumentException(
                    "must have "
                            + MIN_API_KEY_LENGTH
                            + " or more characters, only A-Z a-z 0-9 - . _ ~ + /");
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
