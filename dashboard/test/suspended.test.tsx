// A workspace that the operator has suspended shows why, and the way to the person's other ones.
import { render } from 'preact';
import { afterEach, expect, it, vi } from 'vitest';
import { Suspended } from '../src/shell/Suspended';
import { draw, emptyPage } from './page';

const ID = '018f3c5e-7a05-7000-8000-000000000005';
const before = location.href;
let root: HTMLElement;

afterEach(() => {
  render(null, root);
  history.replaceState(null, '', before);
  vi.unstubAllGlobals();
});

it('shows the reason and the other workspaces', async () => {
  history.replaceState(null, '', `/w/${ID}/events`);
  const items = [
    { id: ID, name: 'Stopped', plan: 'free', role: 'owner' },
    { id: 'other', name: 'Shop', plan: 'free', role: 'owner' },
  ];
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ items })));
  root = emptyPage();
  draw(root, '/', <Suspended suspension={{ since: '2026-01-02T03:04:05.678Z', reason: 'Write to ops@example.com' }} />);
  await vi.waitFor(() => expect(root.textContent).toContain('Open Shop'));
  expect(root.textContent).toContain('Write to ops@example.com');
  expect(root.textContent).not.toContain('Open Stopped');
});
