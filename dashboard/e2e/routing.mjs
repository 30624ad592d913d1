// Sources, connections and what was sent: the test bench, verification, tokens, the requests of attempts, the overview's bars.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { client, KEY } from './server.mjs';
import { fill, made, noProblems, page, post, server, waitUntil } from './world.mjs';

test('the test bench shows each rule and what is sent, with every digit, and how many of 50 events would pass', async () => {
  await fill();
  await page.goto(`/connections/${made.bench.id}`);
  await page.getByText('Would be sent to billing-api').waitFor();
  await page.getByLabel('Value').nth(1).fill('9007199254740993');
  await page.getByText('Would be filtered').waitFor();
  await page.getByRole('button', { name: 'Save Ctrl S' }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  const saved = await fetch(`${server.url}/api/v1/connections/${made.bench.id}`, { headers: { Authorization: `Bearer ${KEY}` } });
  assert.match(await saved.text(), /"value":\s*9007199254740993\b/);
  await page.getByLabel('Value').nth(1).fill('50');
  await page.getByRole('button', { name: 'Save Ctrl S' }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });

  await page.getByRole('heading', { name: 'Last 50 events' }).waitFor();
  await page.getByRole('button', { name: 'Test against them' }).click();
  await page.getByText(/^\d+ would be sent, \d+ filtered\.$/).waitFor();
  await waitUntil(async () => (await page.locator('.ticks .tick').count()) === 50);
  const [, sent, filtered] = /(\d+) would be sent, (\d+) filtered/.exec(await page.getByText(/would be sent, /).innerText());
  assert.equal(Number(sent) + Number(filtered), 50);
  assert.ok(Number(sent) > 0 && Number(filtered) > 0);
  noProblems();
});

test('a verification that is set up wrong is found by its test, mended, and then saved', async () => {
  const api = client(server.url);
  const source = await api('POST', '/api/v1/sources', { name: 'signed' });
  const body = '{"action":"opened"}';
  const secret = 'the-secret-that-the-sender-has';
  const signature = { 'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
  await post(source, body, signature);

  await page.goto(`/sources/${source.id}/verification`);
  await page.getByLabel('GitHub').check();
  await page.getByLabel('Signing secret').fill('not the secret of the sender');
  await page.getByRole('button', { name: 'Test against the last event' }).click();
  await page.getByRole('heading', { name: 'It would be refused' }).waitFor();
  await page.getByLabel('Signing secret').fill(secret);
  await page.getByRole('button', { name: 'Test against the last event' }).click();
  await page.getByRole('heading', { name: 'It would pass' }).waitFor();
  assert.equal((await api('GET', `/api/v1/sources/${source.id}`)).verification_config.provider, 'none', 'a test saves nothing');
  await page.getByRole('button', { name: 'Save verification' }).click();
  await page.getByText('Requests are checked as GitHub signs them').waitFor();

  // Every node knows it within two seconds.
  await waitUntil(async () => (await post(source, body)).status === 401);
  assert.equal((await post(source, body, signature)).status, 200);
  noProblems();
});

test('the token of a source is chosen at its creation, and rotated', async () => {
  const token = 'chosenForTheBrowserTest0001';
  await page.goto('/sources?new=1');
  await page.getByLabel('Name', { exact: true }).fill('rotating');
  await page.getByLabel('Token (optional)').fill('too short');
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.locator('.fld .t-failed').waitFor();
  await page.getByLabel('Token (optional)').fill(token);
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.waitForURL('**/sources/*-*');
  const old = { ingest_path: `/in/${token}` };
  await waitUntil(async () => (await post(old, '{}')).status === 200);

  await page.getByRole('link', { name: 'Rotate token' }).click();
  await page.getByRole('button', { name: 'Rotate token' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate token' }).click();
  await page.getByText('The previous token works until').waitFor();
  assert.equal((await post(old, '{}')).status, 200, 'the old token goes on');
  await page.getByRole('button', { name: 'Rotate token' }).click();
  await page.getByLabel('The old URL').selectOption('0');
  await page.getByRole('dialog').getByText('Rotating again ends it now').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate token' }).click();
  await page.getByText('The previous token works until').waitFor({ state: 'detached' });
  await waitUntil(async () => (await post(old, '{}')).status === 404);
  noProblems();
});

test('Sent is the attempt’s own request, and Diff what was changed of what came', async () => {
  await page.goto(`/events/${made.last}`);
  await page.locator('.dv .tabw .row-link').first().click();
  await page.getByRole('link', { name: 'Sent request' }).first().click();
  await page.locator('.view .kv', { hasText: 'X-Topic' }).waitFor();
  await page.locator('.view .kv', { hasText: 'X-Origin' }).getByText('shop-prod').waitFor();
  await page.locator('.view .json').getByText('"iberia"').waitFor();
  await page.locator('.view .json').getByText('9007199254740993').waitFor();
  assert.equal(await page.getByText('whsec_0123456789abcdef').count(), 0, 'secrets are masked');

  // The configuration of today does not change what was sent then.
  const api = client(server.url);
  await api('PATCH', `/api/v1/connections/${made.bench.id}`, { transformation: { ...made.bench.transformation, set_headers: [{ name: 'X-Origin', value: 'changed' }] } });
  await page.reload();
  await page.locator('.view .kv', { hasText: 'X-Origin' }).getByText('shop-prod').waitFor();
  await page.getByRole('link', { name: 'Diff', exact: true }).click();
  await page.locator('.diff .del', { hasText: 'X-Shop-Topic: order.created' }).waitFor();
  await page.locator('.diff .add', { hasText: 'X-Origin: shop-prod' }).waitFor();
  await page.locator('.diff .add', { hasText: '"region": "iberia"' }).waitFor();
  await page.getByLabel('Compared with').selectOption({ label: 'A resend to billing-api now' });
  await page.locator('.diff .add', { hasText: 'X-Origin: changed' }).waitFor();
  await api('PATCH', `/api/v1/connections/${made.bench.id}`, { transformation: made.bench.transformation });
  noProblems();
});

test('a drag over the bars of the overview opens the events of that time', async () => {
  await page.goto('/overview');
  const bars = page.locator('.hist a');
  await bars.first().waitFor();
  const count = await bars.count();
  await waitUntil(async () => /[1-9]/.test((await bars.last().getAttribute('aria-label')).split(': ')[1]));
  const [from, to] = [await bars.nth(count - 3).boundingBox(), await bars.last().boundingBox()];
  await page.mouse.move(from.x + from.width / 2, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width / 2, to.y + 20, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL((url) => url.pathname.endsWith('/events'));
  const search = new URL(page.url()).searchParams;
  assert.ok(Date.parse(search.get('before')) - Date.parse(search.get('after')) > 2 * 3600_000, 'from the third bar to the end');
  await page.locator('.list tbody tr').first().waitFor();
  noProblems();
});
