// Behind a proxy that adds a path prefix, on plain http at a name that is not localhost: what browsers give only to https is missing.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { test } from 'node:test';
import { newPage, openBrowser } from './browser.mjs';
import { client, startReceiver, startServer } from './server.mjs';
import { settled, signIn, waitUntil } from './world.mjs';

const HOST = 'sluice.test';
const PREFIX = '/sluice';
/** Chromium logs as an error that this header does nothing on plain http. */
const IGNORED = 'The Cross-Origin-Opener-Policy header has been ignored';

test('behind a path prefix on plain http: sign in, see an event, copy it and resend it', async () => {
  const problems = [];
  const proxy = await startProxy();
  const [server, receiver, browser] = await Promise.all([
    startServer({ SLUICE_BASE_URL: `http://${HOST}:${proxy.port}${PREFIX}` }),
    startReceiver(),
    openBrowser([`--host-resolver-rules=MAP ${HOST} 127.0.0.1`]),
  ]);
  try {
    proxy.target = server.url;
    const api = client(server.url);
    const source = await api('POST', '/api/v1/sources', { name: 'behind' });
    const destination = await api('POST', '/api/v1/destinations', { name: 'beyond', url: `${receiver.url}/beyond` });
    await api('POST', '/api/v1/connections', { source_id: source.id, destination_id: destination.id });
    const page = await newPage(browser, `http://${HOST}:${proxy.port}`, problems);
    await signIn(page, `${PREFIX}/`);
    assert.equal(await page.evaluate(() => isSecureContext), false);
    await fetch(`http://127.0.0.1:${proxy.port}${PREFIX}${source.ingest_path}`, { method: 'POST', body: '{"type":"prefix"}', headers: { 'Content-Type': 'application/json' } });
    await waitUntil(() => receiver.received.length === 1);

    await page.goto(`${PREFIX}/events`);
    await page.locator('.list tbody tr').first().click();
    await page.waitForURL((url) => url.pathname.startsWith(`${PREFIX}/w/`) && /\/events\/./.test(url.pathname));
    await page.reload();
    await settled(page);
    await page.locator('.view').getByText('"prefix"').waitFor();
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'Body' }).click();
    await page.getByText(/^Copied/).first().waitFor();
    await page.getByRole('button', { name: 'Resend' }).click();
    await page.getByRole('menuitem', { name: 'To all connections' }).click();
    await waitUntil(() => receiver.received.length === 2);
    assert.deepEqual(proxy.strays, [], 'every address of the page is below the prefix');
    assert.deepEqual(problems.filter((one) => !one.includes(IGNORED)), []);
  } finally {
    await browser.close();
    await receiver.stop();
    await server.stop();
    proxy.stop();
  }
});

/** Passes requests below the prefix on to `target` without it. What is elsewhere gets 404 and is written down. */
async function startProxy() {
  const strays = [];
  const proxy = { strays, target: '' };
  const server = createServer((from, to) => {
    if (!from.url.startsWith(`${PREFIX}/`)) {
      if (from.url !== '/favicon.ico') strays.push(from.url);
      to.writeHead(404).end();
      return;
    }
    const passed = request(proxy.target + from.url.slice(PREFIX.length), { method: from.method, headers: from.headers }, (answer) => {
      to.writeHead(answer.statusCode, answer.headers);
      answer.pipe(to);
    });
    passed.on('error', () => to.destroy());
    to.on('close', () => passed.destroy());
    from.pipe(passed);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.port = server.address().port;
  proxy.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return proxy;
}
