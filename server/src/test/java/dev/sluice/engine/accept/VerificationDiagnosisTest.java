package dev.sluice.engine.accept;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.VerificationReason;
import dev.sluice.engine.accept.VerificationDiagnosis.Judgement;
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

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Tests what a stored event is judged to be, and what to change.
class VerificationDiagnosisTest {

    private static final Instant ARRIVED_AT = Instant.ofEpochSecond(1_700_000_000);
    private static final String URL = "https://relay.example/in/token";
    private static final byte[] BODY = "{\"webhookTimestamp\":1700000000000}".getBytes(UTF_8);
    private static final Secret SECRET = new Secret("topsecret");
    private static final GenericHmacVerification GENERIC =
            generic(HmacAlgorithm.SHA256, HmacEncoding.HEX, Optional.empty());

    @ParameterizedTest
    @EnumSource(WebhookProvider.class)
    void an_event_of_the_sender_passes(WebhookProvider provider) {
        var config = provider(provider, SECRET);

        assertThat(VerificationDiagnosis.of(config, signed(config)))
                .isEqualTo(new VerificationDiagnosis(Judgement.VERIFIED, "The event passes."));
    }

    @Test
    void a_match_with_the_previous_secret_is_told() {
        var sender = provider(WebhookProvider.SLACK, SECRET);
        var config =
                new VerificationConfig.ProviderVerification(
                        WebhookProvider.SLACK, new Secret("new"), Optional.of(SECRET));

        assertThat(VerificationDiagnosis.of(config, signed(sender)).sentence())
                .contains("previous_secret")
                .doesNotContain(SECRET.reveal());
    }

    @Test
    void without_verification_it_is_skipped() {
        var diagnosis = VerificationDiagnosis.of(new VerificationConfig.NoVerification(), event());

        assertThat(diagnosis.judgement()).isEqualTo(Judgement.SKIPPED);
    }

    @ParameterizedTest
    @EnumSource(
            value = WebhookProvider.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"GITHUB"})
    void the_headers_of_another_sender_name_it(WebhookProvider sender) {
        var config = provider(WebhookProvider.GITHUB, SECRET);

        var diagnosis =
                VerificationDiagnosis.of(config, signed(provider(sender, new Secret("other"))));

        assertThat(diagnosis.judgement()).isEqualTo(Judgement.FAILED);
        assertThat(diagnosis.sentence()).endsWith("Set provider to " + sender.text() + ".");
    }

    @Test
    void a_header_that_looks_like_a_signature_is_named() {
        assertThat(sentence(GENERIC, event("X-Acme-Signature: 00", "X-Other: 1")))
                .contains("The signature is expected in X-Sig.")
                .contains("The event has X-Acme-Signature.");
        assertThat(sentence(provider(WebhookProvider.PADDLE, SECRET), event("X-Acme-Hmac: 00")))
                .contains(
                        "The signature is expected in Paddle-Signature.",
                        "X-Acme-Hmac, or generic_hmac.");
        assertThat(sentence(GENERIC, event("X-Other: 1")))
                .contains("No header looks like a signature");
    }

    @Test
    void settings_with_which_the_same_secret_fits_are_named() {
        var sha1 = generic(HmacAlgorithm.SHA1, HmacEncoding.HEX, Optional.empty());
        var base64 = generic(HmacAlgorithm.SHA256, HmacEncoding.BASE64, Optional.empty());
        var timed = timed(SignedContent.TIMESTAMP_BODY);

        assertThat(sentence(GENERIC, signed(sha1)))
                .endsWith(
                        " The signature is valid with algorithm sha1. Change the settings to"
                                + " match.");
        assertThat(sentence(base64, signed(GENERIC)))
                .endsWith(
                        " The signature is valid with encoding hex. Change the settings to match.");
        assertThat(sentence(GENERIC, signed(base64)))
                .endsWith(
                        " The signature is valid with encoding base64. Change the settings to"
                                + " match.");
        assertThat(sentence(timed(SignedContent.BODY), signed(timed)))
                .endsWith(
                        " The signature is valid with signed_content timestamp.body. Change the"
                                + " settings to match.");
    }

    @Test
    void a_timestamp_that_is_off_says_by_how_much() {
        var config = timed(SignedContent.TIMESTAMP_BODY);
        var late =
                new InboundRequest(
                        signed(config).headers(), BODY, ARRIVED_AT.plusSeconds(900), URL);

        assertThat(sentence(config, late)).contains("differs by 900 s").contains("tolerance_secs");
        assertThat(sentence(config, event("X-Sig: 00"))).contains("has no header X-Time");
    }

    @Test
    void a_signature_of_the_url_shows_the_url() {
        var square = provider(WebhookProvider.SQUARE, SECRET);
        var other = provider(WebhookProvider.SQUARE, new Secret("other"));

        assertThat(sentence(square, signed(other))).contains(URL).contains("query");
    }

    @Test
    void what_was_not_stored_cannot_be_judged() {
        var key = new VerificationConfig.ApiKeyVerification("X-Key", SECRET);
        var basic = new VerificationConfig.BasicAuthVerification("u", SECRET);
        var twilio = provider(WebhookProvider.TWILIO, SECRET);

        for (var diagnosis :
                List.of(
                        VerificationDiagnosis.of(key, event("x-key: ***")),
                        VerificationDiagnosis.of(basic, event("Authorization: ***")),
                        VerificationDiagnosis.of(
                                twilio, event("X-Twilio-Signature: AAAA", "Content-Type: a/b")))) {
            assertThat(diagnosis.judgement()).isEqualTo(Judgement.UNKNOWN);
            assertThat(diagnosis.sentence()).endsWith("send a new event.");
        }
    }

    @Test
    void a_wrong_or_missing_credential_says_where_it_belongs() {
        var key = new VerificationConfig.ApiKeyVerification("X-Key", SECRET);
        var basic = new VerificationConfig.BasicAuthVerification("u", SECRET);

        assertThat(sentence(key, event())).contains("has no header X-Key");
        assertThat(sentence(key, event("X-Key: wrong"))).contains("Enter the same one");
        assertThat(sentence(basic, event("Authorization: Bearer x"))).contains("Basic");
    }

    @ParameterizedTest
    @EnumSource(VerificationReason.class)
    void each_reason_is_followed_by_whole_sentences(VerificationReason reason) {
        for (var config :
                List.of(
                        GENERIC,
                        timed(SignedContent.BODY),
                        provider(WebhookProvider.SLACK, SECRET),
                        new VerificationConfig.DiscordVerification("00".repeat(32)),
                        new VerificationConfig.ApiKeyVerification("X-Key", SECRET))) {
            assertThat(VerificationAdvice.of(config, event("X-Sig: 00"), reason))
                    .matches("( .*[.])?")
                    .doesNotContain(SECRET.reveal());
        }
    }

    private static String sentence(VerificationConfig config, InboundRequest event) {
        var diagnosis = VerificationDiagnosis.of(config, event);
        assertThat(diagnosis.judgement()).isEqualTo(Judgement.FAILED);
        assertThat(diagnosis.sentence()).doesNotContain(SECRET.reveal());
        return diagnosis.sentence();
    }

    private static InboundRequest signed(VerificationConfig config) {
        var json = List.of(new Header("Content-Type", "application/x-www-form-urlencoded"));
        var signed = WebhookSigner.sign(config, json, BODY, URL, ARRIVED_AT);
        return new InboundRequest(signed.headers(), BODY, ARRIVED_AT, signed.url());
    }

    private static InboundRequest event(String... headers) {
        return new InboundRequest(
                List.of(headers).stream()
                        .map(line -> line.split(": ", 2))
                        .map(pair -> new Header(pair[0], pair[1]))
                        .toList(),
                BODY,
                ARRIVED_AT,
                URL);
    }

    private static VerificationConfig provider(WebhookProvider provider, Secret secret) {
        return new VerificationConfig.ProviderVerification(provider, secret, Optional.empty());
    }

    private static GenericHmacVerification timed(SignedContent signed) {
        var plain = generic(HmacAlgorithm.SHA256, HmacEncoding.HEX, Optional.of(signed));
        return new GenericHmacVerification(
                plain.secret(),
                plain.previousSecret(),
                plain.header(),
                plain.algorithm(),
                plain.encoding(),
                Optional.of("X-Time"),
                plain.tolerance(),
                plain.signedContent());
    }

    private static GenericHmacVerification generic(
            HmacAlgorithm algorithm, HmacEncoding encoding, Optional<SignedContent> signed) {
        return new GenericHmacVerification(
                SECRET,
                Optional.empty(),
                "X-Sig",
                algorithm,
                encoding,
                Optional.empty(),
                Duration.ofMinutes(5),
                signed);
    }
}
