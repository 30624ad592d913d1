// What senders, receivers and members write is shown, and never run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './browser.mjs';
import { PASSWORD } from './server.mjs';
import { browser, callAs, made, noProblems, page, post, problems, receiver, server, settled, waitUntil } from './world.mjs';

const ATTACK = '"><img src=x onerror="window.hit=1"><script>window.hit=1</script>';
/** Shorter, for names with a limit. */
const NAME = '<img src=x onerror=window.hit=1>';
/** As hostile as the name of a header can be: it takes no brackets and no double quotes. */
const HEADER = "X-'onerror'`hit`$";

test('hostile names, headers, bodies, filters and error texts run nothing on any page', async () => {
  const own = await newPage(browser, server.url, problems);
  own.on('dialog', (dialog) => {
    problems.push(`${own.url()}: a dialog of the browser: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await own.goto('/');
  await callAs(own, 'POST', '/api/v1/auth/register', { email: 'img@example.com', name: NAME, password: PASSWORD, workspace_name: NAME });
  const me = await callAs(own, 'GET', '/api/v1/me');
  await callAs(own, 'PUT', `/api/v1/workspaces/${me.workspace.id}/plan`, { plan: 'business' });
  const make = (path, body) => callAs(own, 'POST', `/api/v1/${path}`, body);
  const source = await make('sources', { name: NAME, description: ATTACK, response_config: { status: 200, content_type: 'text', body: ATTACK } });
  const guarded = await make('sources', { name: `${NAME} 2`, token: 'imgOnerrorHit1imgOnerrorHit1', verification_config: { provider: 'basic_auth', username: ATTACK, password: ATTACK } });
  const destination = await make('destinations', {
    name: NAME,
    url: `${receiver.url}/hostile?x=${encodeURIComponent(NAME)}`,
    custom_headers: { 'X-Custom': NAME, [HEADER]: ATTACK },
    auth_config: { type: 'basic_auth', username: NAME, password: ATTACK },
  });
  const connection = await make('connections', {
    source_id: source.id,
    destination_id: destination.id,
    filter_rules: { operator: 'or', rules: [{ path: 'body.type', op: 'contains', value: 'img' }, { path: `body.${NAME}`, op: 'eq', value: ATTACK }, { path: `headers.${HEADER}`, op: 'in', value: [ATTACK, NAME] }] },
    transformation: {
      rename_headers: [{ from: 'X-Note', to: HEADER }],
      remove_headers: [`${HEADER}-2`],
      set_headers: [{ name: 'X-Set', value: ATTACK }],
      merge_body_fields: { [ATTACK]: ATTACK },
    },
  });
  await make('api-keys', { name: NAME });
  await make('alert-configs', { channel: 'webhook', config: { url: `${receiver.url}/${encodeURIComponent(NAME)}` } });
  await make('alert-configs', { channel: 'messenger', config: { token: '123456:img-onerror', chat_id: '@img_onerror' } });
  await make('alert-configs', { channel: 'email', config: { to: "img'onerror=window.hit=1@example.com" } });

  receiver.answer.status = 422;
  receiver.answer.body = ATTACK;
  const body = JSON.stringify({ type: ATTACK, [ATTACK]: ATTACK });
  const sent = await post(source, body, { 'Content-Type': 'text/html', 'X-Event-Type': ATTACK, 'X-Note': ATTACK, [HEADER]: ATTACK });
  assert.equal(await sent.text(), ATTACK, 'the sender gets the response as it was set');
  await post(guarded, body, { Authorization: `Basic ${Buffer.from(`${NAME}:${NAME}`).toString('base64')}` });
  await waitUntil(async () => (await callAs(own, 'GET', '/api/v1/dlq')).total === 1);
  const [{ event_id: id }] = (await callAs(own, 'GET', '/api/v1/dlq')).items;
  receiver.answer.status = 200;
  receiver.answer.body = '{"ok":true}';
  const replay = await make('dlq/resend', { source_id: source.id });
  await callAs(own, 'DELETE', `/api/v1/sources/${(await make('sources', { name: `${NAME} 3`, description: ATTACK })).id}`);

  const paths = [
    '/overview', '/events', `/events/${id}`, ...['headers', 'sent', 'diff', 'raw'].map((tab) => `/events/${id}?tab=${tab}`), `/events?q=${encodeURIComponent(NAME)}`,
    '/failures', '/failures?resolved=true', '/sources', '/sources?view=trash', '/sources?new=1', ...['', '/settings', '/verification', '/response', '/refusals'].map((tab) => `/sources/${source.id}${tab}`),
    `/sources/${guarded.id}/verification`, `/sources/${guarded.id}/refusals`, '/destinations', '/destinations?new=1', `/destinations/${destination.id}`, `/destinations/${destination.id}/settings`,
    '/connections', `/connections/${connection.id}`, `/connections/${connection.id}?tab=transform`, '/replays', `/replays/${replay.replay_id}`, '/alerts', '/settings',
    ...['plan', 'members', 'api-keys', 'audit-log', 'account', 'appearance'].map((tab) => `/settings/${tab}`), '/welcome',
  ];
  for (const path of paths) {
    await own.goto(path);
    await settled(own);
    await nothingRan(own, path);
  }
  await own.locator('.ws button').first().click();
  await own.getByRole('menuitem').first().waitFor();
  await nothingRan(own, 'the list of workspaces');
  await own.keyboard.press('Escape');
  await own.keyboard.press('Control+k');
  await own.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
  await own.keyboard.type('img');
  await own.getByRole('option', { name: /onerror/ }).first().waitFor();
  await nothingRan(own, 'the palette');

  await own.goto('/live');
  await own.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  await post(source, ATTACK, { 'Content-Type': `text/html;${NAME}` });
  await own.locator('.list tbody tr').first().waitFor();
  await nothingRan(own, '/live');

  // The dialogs that repeat a name.
  for (const [path, button] of [[`/sources/${source.id}/settings`, 'Rotate token'], [`/sources/${source.id}/settings`, 'Move to the trash'], [`/destinations/${destination.id}/settings`, 'Delete destination']]) {
    await own.goto(path);
    await settled(own);
    await own.getByRole('button', { name: button, exact: true }).first().click();
    await own.getByRole('dialog').waitFor();
    await nothingRan(own, `${button} on ${path}`);
  }
  await own.context().close();
  noProblems();
});

async function nothingRan(own, where) {
  const found = await own.evaluate(() => ({ hit: window.hit, elements: document.querySelectorAll('img, iframe, object, embed, body script:not([src])').length, title: document.title }));
  assert.deepEqual({ hit: found.hit, elements: found.elements }, { hit: undefined, elements: 0 }, where);
  assert.match(found.title, / \| Sluice$/, where);
}

test('a payload of HTML is text in each of its forms', async () => {
  for (const tab of ['', '?tab=raw']) {
    await page.goto(`/events?source=${made.code.id}`);
    await page.locator('.list tbody tr').first().waitFor();
    await page.goto(`/events/${made.html}${tab}`);
    await page.locator('.view').getByText('<script>alert(1)</script>').waitFor();
  }
  noProblems();
});
