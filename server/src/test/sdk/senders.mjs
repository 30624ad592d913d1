// Asks the senders' own libraries. One JSON object a line comes in, one goes out for it, in order.
//
// In:  {"ask": <name below>, "secret", "body" (text), "timestamp" (Unix seconds), "id", "url",
//       "form" (object), "signature"}
// Out: {"headers": {…}} what the sender would send, {"valid": true|false} what its library says of
//      a signature, or {"error": …}
import '@shopify/shopify-api/adapters/node';
import { sign as signForCodeHost } from '@octokit/webhooks-methods';
import { ApiVersion, LogSeverity, shopifyApi } from '@shopify/shopify-api';
import { Paddle, WebhooksValidator } from '@paddle/paddle-node-sdk';
import { verifyKey } from 'discord-interactions';
import { createInterface } from 'node:readline';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import twilio from 'twilio';

const stripe = new Stripe('sk_test_unused');

// Its validator has no cryptography before a client was made.
new Paddle('unused');

const shop = secret =>
  shopifyApi({
    apiKey: 'unused',
    apiSecretKey: secret,
    apiVersion: Object.values(ApiVersion)[0],
    hostName: 'localhost',
    isEmbeddedApp: false,
    scopes: [],
    logger: { level: LogSeverity.Error, log: () => {} },
  });

const answers = {
  payments: ({ secret, body, timestamp }) => ({
    headers: {
      'Stripe-Signature': stripe.webhooks.generateTestHeaderString({
        payload: body,
        secret,
        timestamp,
      }),
    },
  }),

  code_host: async ({ secret, body }) => ({
    headers: { 'X-Hub-Signature-256': await signForCodeHost(secret, body) },
  }),

  commerce_judges: async ({ secret, body, signature }) => {
    const headers = {
      'x-shopify-hmac-sha256': signature,
      'x-shopify-topic': 'orders/create',
      'x-shopify-shop-domain': 'shop.myshopify.com',
      'x-shopify-api-version': '2025-01',
      'x-shopify-webhook-id': '1',
    };
    const judged = await shop(secret).webhooks.validate({
      rawBody: body,
      rawRequest: { headers },
      rawResponse: {},
    });
    return { valid: judged.valid };
  },

  standard_webhooks: ({ secret, body, timestamp, id }) => ({
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': new Webhook(secret).sign(id, new Date(timestamp * 1000), body),
    },
  }),

  twilio_form: ({ secret, url, form }) => ({
    headers: { 'X-Twilio-Signature': twilio.getExpectedTwilioSignature(secret, url, form) },
  }),

  twilio_body_hash: ({ body }) => ({ hash: twilio.getExpectedBodyHash(body) }),

  paddle_judges: async ({ secret, body, signature }) => ({
    valid: await new WebhooksValidator().isValidSignature(body, secret, signature),
  }),

  discord_judges: async ({ secret, body, timestamp, signature }) => ({
    valid: await verifyKey(body, signature, String(timestamp), secret),
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const question = JSON.parse(line);
    answer = await answers[question.ask](question);
  } catch (e) {
    answer = { error: String(e) };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
}
