// What senders, receivers and members write is shown, and never run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callAs, made, noProblems, ownPage, page, post, receiver, settled, waitUntil } from './world.mjs';

const ATTACK = '"><img src=x onerror="window.hit=1"><script>window.hit=1</script>';
/** Shorter, for names with a limit. */
const NAME = '<img src=x onerror=window.hit=1>';

test('hostile names, headers, bodies, filters and error texts run nothing on any page', async () => {
  const own = await ownPage();
  const workspace = await callAs(own, 'POST', '/api/v1/workspaces', { name: NAME });
  if ((await callAs(own, 'GET', '/api/v1/me')).workspace.id !== workspace.id) await callAs(own, 'POST', `/api/v1/workspaces/${workspace.id}/switch`);
  await callAs(own, 'PUT', `/api/v1/workspaces/${workspace.id}/plan`, { plan: 'business' });
  const make = (path, body) => callAs(own, 'POST', `/api/v1/${path}`, body);
  const source = await make('sources', { name: NAME, description: ATTACK });
  const destination = await make('destinations', { name: NAME, url: `${receiver.url}/hostile?x=${encodeURIComponent(NAME)}`, custom_headers: { 'X-Custom': NAME } });
  const connection = await make('connections', {
    source_id: source.id,
    destination_id: destination.id,
    filter_rules: { operator: 'and', rules: [{ path: 'body.type', op: 'contains', value: 'img' }] },
    transformation: { set_headers: [{ name: 'X-Set', value: NAME }] },
  });
  await make('api-keys', { name: NAME });
  await make('alert-configs', { channel: 'webhook', config: { url: `${receiver.url}/${encodeURIComponent(NAME)}` } });
  await make(`workspaces/${workspace.id}/invites`, { email: 'img@example.com', role: 'member' });

  receiver.answer.status = 422;
  receiver.answer.body = ATTACK;
  const { request_id: id } = await (await post(source, JSON.stringify({ type: ATTACK, [ATTACK]: ATTACK }), { 'Content-Type': 'text/html', 'X-Event-Type': ATTACK, 'X-Note': ATTACK })).json();
  await waitUntil(async () => (await callAs(own, 'GET', '/api/v1/dlq')).total === 1);
  receiver.answer.status = 200;
  receiver.answer.body = '{"ok":true}';

  const paths = [
    '/overview', '/events', `/events/${id}`, `/events/${id}?tab=headers`, `/events/${id}?tab=sent`, `/events/${id}?tab=diff`, `/events/${id}?tab=raw`, `/events?q=${encodeURIComponent(NAME)}`,
    '/failures', '/sources', `/sources/${source.id}`, `/sources/${source.id}/settings`, `/sources/${source.id}/verification`, '/destinations', `/destinations/${destination.id}`, `/destinations/${destination.id}/settings`,
    '/connections', `/connections/${connection.id}`, '/alerts', '/settings', '/settings/api-keys', '/settings/members', '/settings/audit-log',
  ];
  for (const path of paths) {
    await own.goto(path);
    await settled(own);
    await nothingRan(own, path);
  }
  await own.locator('.ws button').first().click();
  await own.getByRole('menuitem').first().waitFor();
  await nothingRan(own, 'the list of workspaces');

  await own.goto('/live');
  await own.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  await post(source, ATTACK, { 'Content-Type': `text/html;${NAME}` });
  await own.locator('.list tbody tr').first().waitFor();
  await nothingRan(own, '/live');

  await callAs(own, 'DELETE', `/api/v1/workspaces/${workspace.id}`);
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
