// Every request is for the workspace that the page's address names.
import { afterEach, expect, it, vi } from 'vitest';
import { call, pageAddress, pageWorkspace } from '../src/api/client';

const ID = '018f3c5e-7a05-7000-8000-000000000005';
const before = location.href;

afterEach(() => {
  history.replaceState(null, '', before);
  vi.unstubAllGlobals();
});

async function headersAt(path: string): Promise<Record<string, string>> {
  history.replaceState(null, '', path);
  const sent = vi.fn(async (..._: unknown[]) => new Response('{}'));
  vi.stubGlobal('fetch', sent);
  await call('POST /api/v1/destinations', { body: {} });
  return (sent.mock.calls[0]?.[1] as { headers: Record<string, string> }).headers;
}

it('names the workspace of the address in a request', async () => {
  expect(await headersAt(`/w/${ID}/destinations?new=1`)).toEqual({ 'Content-Type': 'application/json', 'X-Sluice-Workspace': ID });
  expect(await headersAt(`/w/${ID}`)).toHaveProperty('X-Sluice-Workspace', ID);
});

it('names no workspace where the address has none', async () => {
  expect(await headersAt('/invite')).toEqual({ 'Content-Type': 'application/json' });
  expect(pageWorkspace()).toBeUndefined();
});

it('keeps links of a page in its workspace', () => {
  history.replaceState(null, '', `/w/${ID}/live`);
  expect(pageAddress('/events/e')).toBe(`/w/${ID}/events/e`);
  expect(pageAddress('/', 'other')).toBe('/w/other/');
});
