// An error is shown at the control that was used, and what cannot be taken back is asked first.
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TabBar } from '../src/shell/Sidebar';
import { ReplaysPage } from '../src/pages/replays/ReplaysPage';
import { WorkspaceSettings } from '../src/pages/settings/WorkspaceSettings';
import { PauseToggle } from '../src/pages/sources/SourcesPage';
import { Toaster } from '../src/ui/toast';
import { draw, emptyPage } from './page';

const REPLAY = {
  id: 'r', connection_id: null, connection_ids: ['a'], statuses: ['failed'], error_code: null, response_status: null, limit: null, per_second: 10,
  since: null, until: null, status: 'running', planned: 12, is_exact: true, created: 3, skipped: 0, reason: null,
  created_at: '2026-01-02T03:04:05.678Z', updated_at: '2026-01-02T03:04:05.678Z', finished_at: null,
};

let root: HTMLElement;
let sent: string[];
let refusal: { code: string; message: string } | null;

beforeEach(() => {
  sent = [];
  refusal = null;
  root = emptyPage();
  vi.stubGlobal('fetch', async (path: string, { method }: { method: string }) => {
    if (method !== 'GET') sent.push(`${method} ${path}`);
    if (method !== 'GET' && refusal !== null) return new Response(JSON.stringify({ error: refusal }), { status: 403 });
    return new Response(JSON.stringify(path.startsWith('/api/v1/replays') ? { ...REPLAY, items: [REPLAY], total: 1 } : {}));
  });
});

afterEach(() => {
  render(null, root);
  vi.unstubAllGlobals();
});

function show(element: Parameters<typeof render>[0]) {
  draw(
    root,
    '/replays',
    <>
      {element}
      <Toaster />
    </>,
  );
}

async function click(selector: string, text = '') {
  const found = await vi.waitFor(() => {
    const one = [...document.querySelectorAll<HTMLElement>(selector)].find((each) => each.textContent?.includes(text));
    if (one === undefined) throw new Error(`no ${selector} ${text} in ${document.body.textContent}`);
    return one;
  }, 5_000);
  await act(() => found.click());
}

it('shows at the toggle that the server refused it, and nothing in a toast', async () => {
  refusal = { code: 'forbidden', message: 'Only members may do this.' };
  show(<PauseToggle source={{ id: 's', name: 'shop', status: 'active' }} />);
  await click('[role=switch]');
  await vi.waitFor(() => expect(document.querySelector('.at-control [role=alert]')?.textContent).toBe('Your role cannot do this. Only members may do this.'));
  expect(document.querySelector('.toast')).toBeNull();
  expect(document.querySelector('[role=switch]')!.getAttribute('aria-checked')).toBe('true');
  await click('[aria-label="Close the message"]');
  await vi.waitFor(() => expect(document.querySelector('[role=alert]')).toBeNull());
});

it('cancels a replay only after a question', async () => {
  show(<ReplaysPage />);
  await click('button', 'Cancel');
  expect(sent).toEqual([]);
  await click('dialog button', 'Cancel the replay');
  await vi.waitFor(() => expect(sent).toEqual(['POST /api/v1/replays/r/cancel']));
});

it('leaves a workspace only after a question, and says there why it cannot', async () => {
  refusal = { code: 'forbidden', message: 'The last owner cannot leave.' };
  show(<WorkspaceSettings me={{ workspace: { id: 'w', name: 'Acme' }, role: 'member' } as never} />);
  await click('button', 'Leave workspace');
  expect(sent).toEqual([]);
  await click('dialog button.danger', 'Leave workspace');
  await vi.waitFor(() => expect(document.querySelector('dialog [role=alert]')?.textContent).toContain('The last owner cannot leave.'));
});

it('a phone reaches the workspaces and the search behind More', async () => {
  show(<TabBar />);
  await click('.tabbar button', 'More');
  expect(document.querySelector('dialog [aria-haspopup=menu]')).not.toBeNull();
  let isOpened = false;
  addEventListener('sluice:palette', () => (isOpened = true), { once: true });
  await click('dialog button', 'Search or jump to');
  expect(isOpened).toBe(true);
  expect(document.querySelector('dialog')).toBeNull();
});
