package dev.sluice.engine.compression;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.Payload;
import dev.sluice.platform.http.Header;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/// Payloads of about 1 KB as a shop sends them. Each differs from the others by more than 100
/// random bytes: ids, amounts, names and a signature.
final class ShopEvents {

    private static final List<String> NAMES =
            List.of("Ada", "Grace", "Edsger", "Barbara", "Alan", "Donald", "Frances", "Niklaus");

    private final Random random;

    ShopEvents(long seed) {
        random = new Random(seed);
    }

    List<Payload> next(int count) {
        var payloads = new ArrayList<Payload>();
        for (int i = 0; i < count; i++) {
            payloads.add(next());
        }
        return payloads;
    }

    Payload next() {
        String body =
                """
                {"id":"evt_%s","type":"order.%s","created_at":"2026-03-01T%02d:%02d:%02d.%03dZ","livemode":true,\
                "api_version":"2026-01-01","data":{"object":{"order_id":"%s","customer":{"id":"cus_%s",\
                "name":"%s","email":"%s@example.com","phone":null,"metadata":{"segment":"retail",\
                "loyalty_tier":"gold"}},"currency":"eur","amount_total":%d,"amount_tax":%d,"status":"paid",\
                "payment_intent":"pi_%s","idempotency_key":"%s","line_items":[{"sku":"SKU-%d","quantity":%d,\
                "unit_price":%d},{"sku":"SKU-%d","quantity":%d,"unit_price":%d}],"shipping_address":\
                {"line1":"%d Main Street","city":"Springfield","postal_code":"%05d","country":"US"},\
                "description":"An order that was placed in the web shop and paid by card",\
                "links":{"self":"https://api.shop.example.com/v1/orders/%s","customer":\
                "https://api.shop.example.com/v1/customers"}}}}\
                """
                        .formatted(
                                hex(12),
                                random.nextBoolean() ? "created" : "paid",
                                random.nextInt(24),
                                random.nextInt(60),
                                random.nextInt(60),
                                random.nextInt(1000),
                                hex(16),
                                hex(8),
                                NAMES.get(random.nextInt(NAMES.size())),
                                hex(4),
                                random.nextInt(1_000_000),
                                random.nextInt(100_000),
                                hex(12),
                                hex(16),
                                random.nextInt(1_000_000),
                                random.nextInt(9),
                                random.nextInt(10_000),
                                random.nextInt(1_000_000),
                                random.nextInt(9),
                                random.nextInt(10_000),
                                random.nextInt(300),
                                random.nextInt(100_000),
                                hex(8));
        return Payload.of(
                List.of(
                        new Header("Host", "hooks.example.com"),
                        new Header("Content-Type", "application/json"),
                        new Header("Content-Length", Integer.toString(body.length())),
                        new Header("User-Agent", "Shop-Webhooks/1.0"),
                        new Header("X-Shop-Signature", "sha256=" + hex(32)),
                        new Header("Accept", "*/*")),
                body.getBytes(UTF_8));
    }

    private String hex(int bytes) {
        byte[] value = new byte[bytes];
        random.nextBytes(value);
        return HexFormat.of().formatHex(value);
    }
}
