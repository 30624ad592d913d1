package dev.sluice.engine.accept;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.gateway.source.VerificationConfig.GenericHmacVerification;
import dev.sluice.gateway.source.VerificationConfig.HmacAlgorithm;
import dev.sluice.gateway.source.VerificationConfig.HmacEncoding;
import dev.sluice.gateway.source.VerificationConfig.SignedContent;
import dev.sluice.gateway.source.WebhookProvider;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.secret.Secret;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Tests that the verifier accepts what the signer signs.
class WebhookSignerTest {

    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);
    private static final String URL = "https://relay.example/in/token";

    /// Linear's timestamp is in the body.
    private static final byte[] BODY =
            "{\"caf\u00e9\":1,\"webhookTimestamp\":1700000000000}".getBytes(UTF_8);

    static Stream<VerificationConfig> configs() {
        var configs = new ArrayList<VerificationConfig>();
        for (var provider : WebhookProvider.values()) {
            configs.add(provider(provider));
        }
        for (var algorithm : HmacAlgorithm.values()) {
            for (var encoding : HmacEncoding.values()) {
                for (var time : List.of(Optional.<String>empty(), Optional.of("X-Time"))) {
                    configs.add(generic(algorithm, encoding, time, Optional.empty()));
                }
            }
        }
        configs.add(
                generic(
                        HmacAlgorithm.SHA256,
                        HmacEncoding.HEX,
                        Optional.of("X-Time"),
                        Optional.of(SignedContent.BODY)));
        configs.add(new VerificationConfig.BasicAuthVerification("\u00fcser", secret("p:\u00e4")));
        configs.add(new VerificationConfig.ApiKeyVerification("X-Key", secret("k\u00e9y")));
        return configs.stream();
    }

    @ParameterizedTest
    @MethodSource("configs")
    void what_is_signed_is_verified(VerificationConfig config) {
        for (byte[] body : List.of(BODY, bytes("not JSON"), new byte[] {(byte) 0xff, 0, 1})) {
            if (isLinear(config) && !Arrays.equals(body, BODY)) {
                continue;
            }
            for (var headers : List.of(List.<Header>of(), json(), form())) {
                var signed = WebhookSigner.sign(config, headers, body, URL, NOW);

                assertThat(check(config, signed, body))
                        .as("%s with %s", config, headers)
                        .isInstanceOf(VerificationResult.VerificationPassed.class);
                assertThat(signed.headers().subList(0, headers.size())).isEqualTo(headers);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("configs")
    void what_was_changed_afterwards_is_not(VerificationConfig config) {
        var signed = WebhookSigner.sign(config, json(), BODY, URL, NOW);
        byte[] changed = bytes(" ");

        boolean isSignature = config.credentialHeader().isEmpty();

        assertThat(check(config, signed, changed))
                .isInstanceOf(
                        isSignature
                                ? VerificationResult.VerificationFailed.class
                                : VerificationResult.VerificationPassed.class);
    }

    @ParameterizedTest
    @EnumSource(WebhookProvider.class)
    void a_signature_that_is_there_is_kept(WebhookProvider provider) {
        var config = provider(provider);
        var signed = WebhookSigner.sign(config, json(), BODY, URL, NOW);

        var again =
                WebhookSigner.sign(
                        config, signed.headers(), BODY, signed.url(), NOW.plusSeconds(60));

        assertThat(again.headers()).isEqualTo(signed.headers());
    }

    @Test
    void a_timestamp_that_is_there_is_the_one_that_is_signed() {
        var config = provider(WebhookProvider.SLACK);
        var headers = List.of(new Header("x-slack-request-timestamp", "1699999990"));

        var signed = WebhookSigner.sign(config, headers, BODY, URL, NOW);

        assertThat(signed.headers()).hasSize(2);
        assertThat(check(config, signed, BODY))
                .isInstanceOf(VerificationResult.VerificationPassed.class);
    }

    @Test
    void without_verification_nothing_is_added() {
        var none = new VerificationConfig.NoVerification();

        var signed = WebhookSigner.sign(none, json(), BODY, URL, NOW);

        assertThat(signed).isEqualTo(new WebhookSigner.SignedWebhook(json(), URL));
        assertThat(WebhookSigner.missingHeader(none)).isEmpty();
    }

    @Test
    void a_public_key_does_not_suffice() {
        var discord = new VerificationConfig.DiscordVerification("00".repeat(32));

        assertThat(WebhookSigner.missingHeader(discord)).hasValue("X-Signature-Ed25519");
        assertThat(WebhookSigner.sign(discord, json(), BODY, URL, NOW).headers()).isEqualTo(json());
    }

    private static VerificationResult check(
            VerificationConfig config, WebhookSigner.SignedWebhook signed, byte[] body) {
        return Verifier.check(
                config, new InboundRequest(signed.headers(), body, NOW, signed.url()));
    }

    private static boolean isLinear(VerificationConfig config) {
        return config instanceof VerificationConfig.ProviderVerification known
                && known.provider() == WebhookProvider.LINEAR;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static List<Header> json() {
        return List.of(new Header("Content-Type", "application/json"));
    }

    private static List<Header> form() {
        return List.of(new Header("Content-Type", "application/x-www-form-urlencoded"));
    }

    private static VerificationConfig provider(WebhookProvider provider) {
        return new VerificationConfig.ProviderVerification(
                provider, secret("whsec_c2VjcmV0"), Optional.of(secret("older")));
    }

    private static VerificationConfig generic(
            HmacAlgorithm algorithm,
            HmacEncoding encoding,
            Optional<String> timestampHeader,
            Optional<SignedContent> signed) {
        return new GenericHmacVerification(
                secret("secret"),
                Optional.empty(),
                "X-Sig",
                algorithm,
                encoding,
                timestampHeader,
                Duration.ofMinutes(5),
                signed);
    }

    private static Secret secret(String text) {
        return new Secret(text);
    }
}
