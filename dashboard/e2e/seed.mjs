// A workspace with enough in it to look at: five sources, six destinations, events that went well, failed, wait and were filtered.
import { createHmac } from 'node:crypto';
import { client } from './server.mjs';

const SECRET = 'whsec_0123456789abcdef0123456789abcdef';

const TYPES = ['order.created', 'order.paid', 'cart.updated', 'shipment.requested', 'refund.created', 'customer.updated'];

function order(type, number) {
  // 9007199254740993 is the first integer that a double cannot hold; 148.50 keeps its zero.
  return `{"type":"${type}","api_version":"2026-07-01","data":{"id":9007199254740993,"number":"S-${10480 + number}","currency":"EUR","total":148.50,"customer":{"id":5512,"name":"Ana Moreira","email":"ana@example.com","tags":["new","b2b"]},"items":[{"sku":"A-1","quantity":2},{"sku":"B-7","quantity":1},{"sku":"C-3","quantity":4}],"shipping":{"method":"standard","country":"PT"},"note":null},"test":false}`;
}

export async function seed(url, receiver) {
  const api = client(url);
  const source = async (name, color, verification_config) => api('POST', '/api/v1/sources', { name, color, ...(verification_config ? { verification_config } : {}) });
  const destination = async (name, path, more = {}) => api('POST', '/api/v1/destinations', { name, url: `${receiver.url}${path}`, ...more });
  const connect = async (from, to, more = {}) => api('POST', '/api/v1/connections', { source_id: from.id, destination_id: to.id, ...more });

  const shop = await source('shop-prod', '#2f7fd1', { provider: 'generic_hmac', secret: SECRET, header: 'X-Shop-Signature', algorithm: 'sha256', encoding: 'hex' });
  const payments = await source('payments-live', '#8a5cc7', { provider: 'provider_code_host', secret: SECRET });
  const code = await source('code-host', '#2f9668');
  const crm = await source('crm-hooks', '#d08a2e');
  const fleet = await source('fleet-sensors', '#4a8fa8');

  const billing = await destination('billing-api', '/refused', { auth_config: { type: 'hmac', secret: SECRET } });
  const crmSync = await destination('crm-sync', '/crm', { auth_config: { type: 'api_key', header: 'X-Api-Key', key: 'k-0123456789' } });
  const search = await destination('search-index', '/search');
  const fulfilment = await destination('fulfilment-api', '/down', { custom_headers: { 'X-Env': 'prod' }, rate_limit: { per_second: 50 }, auth_config: { type: 'hmac', secret: SECRET } });
  const audit = await destination('audit-log', '/audit');
  const partner = await destination('partner-orders', '/partner', { status: 'paused' });

  const bench = await connect(shop, billing, {
    filter_rules: {
      operator: 'and',
      rules: [
        { path: 'body.type', op: 'in', value: ['order.created', 'order.paid'] },
        { path: 'body.data.total', op: 'gt', value: 50 },
        { operator: 'or', rules: [{ path: 'body.data.shipping.country', op: 'eq', value: 'ES' }, { path: 'body.data.shipping.country', op: 'eq', value: 'PT' }] },
      ],
    },
    transformation: {
      rename_headers: [{ from: 'X-Shop-Topic', to: 'X-Topic' }],
      remove_headers: ['X-Shop-Trace'],
      set_headers: [{ name: 'X-Origin', value: '{{source.name}}' }],
      merge_body_fields: { region: 'iberia', test: true },
    },
  });
  await connect(shop, crmSync);
  await connect(shop, search, { filter_rules: { operator: 'and', rules: [{ path: 'body.type', op: 'eq', value: 'product.updated' }] } });
  await connect(shop, fulfilment, { filter_rules: { operator: 'or', rules: [{ path: 'body.type', op: 'eq', value: 'shipment.requested' }, { path: 'body.type', op: 'eq', value: 'order.paid' }] } });
  await connect(payments, crmSync);
  await connect(code, search);
  await connect(code, audit);
  await connect(crm, crmSync);
  await connect(crm, partner, { enabled: false });
  await connect(fleet, audit);

  const post = (target, body, headers = {}) => fetch(url + target.ingest_path, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } });
  const shopOrder = (type, number) => {
    const body = order(type, number);
    return post(shop, body, { 'X-Shop-Signature': createHmac('sha256', SECRET).update(body).digest('hex'), 'X-Shop-Topic': type, 'X-Shop-Trace': '7f21' });
  };
  const signed = (body) => post(payments, body, { 'X-Hub-Signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`, 'X-Event-Type': 'invoice.paid' });

  // The test bench looks at 50.
  for (let i = 14; i < 50; i++) await shopOrder(TYPES[i % TYPES.length], i);
  for (let i = 0; i < 14; i++) {
    await shopOrder(TYPES[i % TYPES.length], i);
    if (i % 2 === 0) await post(code, '{"ref":"refs/heads/main","commits":[]}', { 'X-Forge-Event': 'push' });
    if (i % 3 === 0) await signed(`{"type":"invoice.paid","id":${700 + i}}`);
    if (i % 4 === 0) await post(crm, '{"event":"contact.merged","id":12}');
  }
  await post(payments, '{"type":"charge.refunded"}', { 'X-Hub-Signature-256': 'sha256=00' });
  await post(fleet, Buffer.from([0, 1, 2, 250, 251, 252, 10, 13, 66]), { 'Content-Type': 'application/octet-stream' });
  const html = await (await post(code, '<script>alert(1)</script>', { 'Content-Type': 'text/html', 'X-Note': '<img src=x onerror=alert(2)>' })).json();
  const last = await (await shopOrder('order.created', 15)).json();
  const replay = await replayOf(api, bench);
  return { shop, payments, code, crm, bench, fulfilment, billing, html: html.request_id, last: last.request_id, replay };
}

/** Sends what failed on a connection again, once something has failed, and returns the id of the replay. */
async function replayOf(api, connection) {
  for (let tries = 0; tries < 300; tries++) {
    const { replay_id } = await api('POST', '/api/v1/dlq/resend', { connection_id: connection.id });
    if (replay_id) return replay_id;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Nothing failed within 30 s.');
}
