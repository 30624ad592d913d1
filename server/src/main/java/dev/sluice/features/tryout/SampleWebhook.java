package dev.sluice.features.tryout;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.gateway.source.WebhookProvider;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A small webhook like those that a provider sends, with invented content.
///
/// @param headers the headers that the provider sends in addition to its signature
/// @param text the body, which a reader can recognize as a test
record SampleWebhook(List<Header> headers, String text) {

    private static final String JSON = "application/json";
    private static final String FORM = "application/x-www-form-urlencoded";

    /// Makes a sample that looks as if it had been sent at the given time.
    interface SampleMaker {

        SampleWebhook at(Instant now);
    }

    /// The sample makers, keyed by provider name. The maker `generic` is for sources without a
    /// provider.
    static final Map<String, SampleMaker> MAKERS = makers();

    private static Map<String, SampleMaker> makers() {
        var makers = new TreeMap<String, SampleMaker>();
        makers.put("generic", SampleWebhook::generic);
        WebhookProvider.byName().forEach((name, provider) -> makers.put(name, maker(provider)));
        return makers;
    }

    SampleWebhook {
        headers = List.copyOf(headers);
    }

    /// Returns the sample maker for a source: its provider's, or the generic one if the source has
    /// no provider.
    static SampleMaker makerFor(VerificationConfig config) {
        return config instanceof VerificationConfig.ProviderVerification known
                ? maker(known.provider())
                : SampleWebhook::generic;
    }

    private static SampleMaker maker(WebhookProvider provider) {
        return now -> of(provider, now);
    }

    static SampleWebhook generic(Instant now) {
        return json(
                """
                {"type":"test","message":"A test event from Sluice","sent_at":"%s"}\
                """
                        .formatted(JsonObject.time(now)));
    }

    private static SampleWebhook of(WebhookProvider provider, Instant now) {
        long seconds = now.getEpochSecond();
        String time = JsonObject.time(now);
        return switch (provider) {
            case STRIPE ->
                    json(
                            """
                            {"id":"evt_test","object":"event","type":"payment_intent.succeeded",\
                            "created":%d,"livemode":false,"data":{"object":{"id":"pi_test",\
                            "object":"payment_intent","amount":2000,"currency":"usd",\
                            "status":"succeeded"}}}\
                            """
                                    .formatted(seconds));
            case GITHUB ->
                    json(
                            """
                            {"zen":"A test event from Sluice","hook_id":1,"hook":{"type":\
                            "Repository","events":["push"],"active":true},"repository":{"id":1,\
                            "full_name":"octo-org/test"}}\
                            """,
                            new Header("X-GitHub-Event", "ping"),
                            new Header("X-GitHub-Delivery", "test-" + now.toEpochMilli()));
            case SHOPIFY ->
                    json(
                            """
                            {"id":820982911946154508,"test":true,"name":"#9999","currency":"USD",\
                            "total_price":"20.00","created_at":"%s"}\
                            """
                                    .formatted(time),
                            new Header("X-Shopify-Topic", "orders/create"),
                            new Header("X-Shopify-Shop-Domain", "test.myshopify.com"));
            case STANDARD_WEBHOOKS ->
                    json(
                            """
                            {"type":"test","timestamp":"%s","data":{"message":"A test event from \
                            Sluice"}}\
                            """
                                    .formatted(time));
            case SLACK ->
                    json(
                            """
                            {"type":"event_callback","event_id":"EvTest","event_time":%d,\
                            "team_id":"TTEST","event":{"type":"message","channel":"CTEST",\
                            "user":"UTEST","text":"A test event from Sluice"}}\
                            """
                                    .formatted(seconds));
            case GITLAB ->
                    json(
                            """
                            {"object_kind":"push","ref":"refs/heads/main","user_name":"Test",\
                            "project":{"id":1,"name":"test"},"commits":[],"total_commits_count":0}\
                            """,
                            new Header("X-Gitlab-Event", "Push Hook"));
            case TWILIO ->
                    new SampleWebhook(
                            List.of(new Header("Content-Type", FORM)),
                            "MessageSid=SMtest&From=%2B15005550006&To=%2B15005550001"
                                    + "&Body=A+test+event+from+Sluice&NumMedia=0");
            case SQUARE ->
                    json(
                            """
                            {"merchant_id":"TEST","type":"payment.created","event_id":"test",\
                            "created_at":"%s","data":{"type":"payment","id":"test","object":\
                            {"payment":{"id":"test","amount_money":{"amount":2000,\
                            "currency":"USD"}}}}}\
                            """
                                    .formatted(time));
            case PADDLE ->
                    json(
                            """
                            {"event_id":"evt_test","event_type":"transaction.completed",\
                            "occurred_at":"%s","data":{"id":"txn_test","status":"completed",\
                            "currency_code":"USD"}}\
                            """
                                    .formatted(time));
            case ZOOM ->
                    json(
                            """
                            {"event":"meeting.started","event_ts":%d,"payload":{"account_id":\
                            "test","object":{"id":"123456789","topic":"A test event from \
                            Sluice"}}}\
                            """
                                    .formatted(now.toEpochMilli()));
            case LINEAR ->
                    json(
                            """
                            {"action":"create","type":"Issue","createdAt":"%s","data":{"id":\
                            "test","title":"A test event from Sluice"},"webhookTimestamp":%d}\
                            """
                                    .formatted(time, now.toEpochMilli()),
                            new Header("Linear-Event", "Issue"));
            case TYPEFORM ->
                    json(
                            """
                            {"event_id":"test","event_type":"form_response","form_response":\
                            {"form_id":"test","token":"test","submitted_at":"%s","answers":[]}}\
                            """
                                    .formatted(time));
        };
    }

    private static SampleWebhook json(String text, Header... more) {
        var headers = new ArrayList<>(List.of(new Header("Content-Type", JSON)));
        headers.addAll(List.of(more));
        return new SampleWebhook(headers, text);
    }

    byte[] body() {
        return text.getBytes(UTF_8);
    }
}
