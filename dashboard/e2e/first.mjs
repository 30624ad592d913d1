// The first minute, and from a failure to its replay.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client, PASSWORD, EMAIL } from './server.mjs';
import { noProblems, page, receiver, server, waitUntil } from './world.mjs';

const MAX_CLICKS = 4;
const MAX_MILLISECONDS = 60_000;

test('from the sign-in page to the first visible event: a minute and four clicks at most', async () => {
  const start = Date.now();
  await page.goto('/');
  // A click with `detail` 0 is the browser's own, for Enter in a form.
  await page.evaluate(() => {
    window.clicks = 0;
    addEventListener('click', (event) => (window.clicks += event.detail > 0 ? 1 : 0), true);
  });
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByLabel('Password').fill('not the password');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Waiting for an event').waitFor();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByText('Your first event is here').waitFor();
  await page.getByText('148.50').first().waitFor();
  const clicks = await page.evaluate(() => window.clicks);
  assert.ok(clicks > 0 && clicks <= MAX_CLICKS, `${clicks} clicks`);
  assert.ok(Date.now() - start < MAX_MILLISECONDS, `${Date.now() - start} ms`);
  noProblems();
});

test('where should it go: one form makes the destination and the connection', async () => {
  await page.getByLabel('To a URL').fill('http://10.0.0.7/hook');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText(/private or internal address/).waitFor();
  await page.getByLabel('To a URL').fill(`${receiver.url}/first`);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('New events go to').waitFor();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await waitUntil(() => receiver.received.some((one) => one.url === '/first'));
  noProblems();
});

test('the welcome page stays with the first source', async () => {
  const api = client(server.url);
  const [first] = (await api('GET', '/api/v1/sources')).items;
  await api('POST', '/api/v1/sources', { name: 'second' });
  await page.goto('/welcome');
  await page.getByText(first.ingest_path).first().waitFor();
  noProblems();
});

test('from a failure to its fix to its replay', async () => {
  const api = client(server.url);
  const source = await api('POST', '/api/v1/sources', { name: 'orders' });
  const destination = await api('POST', '/api/v1/destinations', { name: 'erp', url: `${receiver.url}/erp` });
  await api('POST', '/api/v1/connections', { source_id: source.id, destination_id: destination.id });
  receiver.answer.status = 422;
  receiver.answer.body = '{"error":"customer_id is required"}';
  for (let i = 0; i < 7; i++) await fetch(server.url + source.ingest_path, { method: 'POST', body: `{"type":"order.paid","n":${i}}`, headers: { 'Content-Type': 'application/json' } });
  await waitUntil(async () => (await api('GET', `/api/v1/dlq/groups?destination_id=${destination.id}`)).items[0]?.count === 7);

  await page.goto('/failures');
  await page.getByRole('button', { name: '422 content refused' }).click();
  await page.getByText('customer_id is required').waitFor();
  await page.getByRole('link', { name: 'Open the event' }).click();
  await page.getByText(/0 of 1 delivered, 1 rejected/).waitFor();

  receiver.answer.status = 200;
  receiver.answer.body = '{"ok":true}';
  await page.goBack();
  await page.getByRole('button', { name: 'Send five first' }).click();
  await page.getByText('7 were unresolved, 2 are now').waitFor();
  await page.getByRole('button', { name: 'Send all', exact: true }).click();
  await page.getByRole('button', { name: 'Send 2 deliveries' }).click();
  await page.waitForURL('**/replays/*');
  await page.getByText('2 of 2').waitFor();
  await waitUntil(async () => (await api('GET', `/api/v1/dlq?destination_id=${destination.id}`)).items.every((one) => one.latest_status === 'succeeded'));
  await waitUntil(async () => (await api('GET', `/api/v1/dlq/groups?destination_id=${destination.id}`)).items.length === 0);
  noProblems();
});

test('a failure is dismissed, found under Resolved, and its delivery opened by its id', async () => {
  const api = client(server.url);
  const source = await api('POST', '/api/v1/sources', { name: 'returns' });
  const destination = await api('POST', '/api/v1/destinations', { name: 'returns-desk', url: `${receiver.url}/erp` });
  await api('POST', '/api/v1/connections', { source_id: source.id, destination_id: destination.id });
  receiver.answer.status = 410;
  receiver.answer.body = '{"error":"moved"}';
  await fetch(server.url + source.ingest_path, { method: 'POST', body: '{"type":"return.opened"}', headers: { 'Content-Type': 'application/json' } });
  const groups = (query = '') => api('GET', `/api/v1/dlq/groups?destination_id=${destination.id}${query}`);
  await waitUntil(async () => (await groups()).items[0]?.count === 1);
  const delivery = (await groups()).items[0].example_delivery_id;
  receiver.answer.status = 200;
  receiver.answer.body = '{"ok":true}';

  await page.goto('/failures');
  await page.getByRole('button', { name: '410 gone' }).click();
  await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
  await page.getByRole('button', { name: 'Dismiss 1 failed delivery' }).click();
  await page.getByText('1 failed delivery dismissed').waitFor();
  assert.equal((await groups()).items.length, 0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await waitUntil(async () => (await groups()).items.length === 1);
  await api('POST', '/api/v1/dlq/dismiss', { destination_id: destination.id });
  await page.goto('/failures?resolved=true');
  await page.getByRole('button', { name: '410 gone' }).click();
  await page.getByRole('cell', { name: 'Dismissed' }).waitFor();

  await page.goto(`/deliveries/${delivery}`);
  await page.locator('.dv .marked', { hasText: 'returns-desk' }).waitFor();
  await page.goto(`/events?q=${delivery}`);
  await page.waitForURL((url) => /\/events\/./.test(url.pathname));
  await page.locator('.dv .marked', { hasText: 'returns-desk' }).waitFor();
  noProblems();
});
