// Edits stay until they are saved or given up, whatever the server and the browser do meanwhile.
import { QueryClientProvider } from '@tanstack/react-query';
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Link, Route, Router } from 'wouter';
import { changed, queryClient } from '../src/api/queries';
import { forgetUnsaved, useGuardedLocation, useUnsaved } from '../src/lib/unsaved';
import { ConnectionPage } from '../src/pages/connections/ConnectionPage';
import { DestinationPage } from '../src/pages/destinations/DestinationPage';
import { LeaveDialog } from '../src/shell/App';

vi.setConfig({ testTimeout: 30_000 });

const DESTINATION = {
  id: 'd', name: 'Orders', url: 'https://a.example/', status: 'active', timeout_ms: 10_000, max_in_flight: 32, rate_limit: null, circuit_state: 'closed', circuit_reopen_at: null,
  auth_config: { type: 'none' }, custom_headers: {}, secret_headers: [], retry_policy: { intervals_seconds: [30] }, created_at: '2026-01-02T03:04:05.678Z', updated_at: '1',
};
const CONNECTION = {
  id: 'c', source_id: 's', destination_id: 'd', destination: DESTINATION, enabled: true, filter_rules: null as unknown, transformation: null, created_at: '2026-01-02T03:04:05.678Z', updated_at: '1',
};

let answers: Record<string, unknown>;
let sent: string[];
let root: HTMLElement;

beforeEach(() => {
  forgetUnsaved();
  queryClient.clear();
  sent = [];
  answers = { '/api/v1/destinations/d': DESTINATION, '/api/v1/connections/c': CONNECTION, '/api/v1/sources/s': { id: 's', name: 'shop' }, '/api/v1/stats/overview': { waiting: { count: 0, oldest_age_seconds: null }, histogram: [] } };
  document.body.innerHTML = '<div id="app"></div>';
  root = document.getElementById('app')!;
  vi.stubGlobal('fetch', async (path: string, { method, body }: { method: string; body?: string }) => {
    if (method === 'PATCH') {
      sent.push(body!);
      answers[path] = { ...(answers[path] as object), ...JSON.parse(body!), updated_at: String(sent.length + 1) };
    }
    return new Response(JSON.stringify(answers[path.split('?')[0]!] ?? { items: [], total: 0 }));
  });
});

afterEach(() => {
  render(null, root);
  vi.unstubAllGlobals();
});

function show(path: string) {
  history.replaceState(null, '', path);
  void act(() =>
    render(
      <QueryClientProvider client={queryClient}>
        <Router hook={useGuardedLocation}>
          <Route path="/connections/:id" component={ConnectionPage} />
          <Route path="/destinations/:id/:tab?" component={DestinationPage} />
          <LeaveDialog />
        </Router>
      </QueryClientProvider>,
      root,
    ),
  );
}

function find<T extends Element>(selector: string, text?: string): Promise<T> {
  return vi.waitFor(() => {
    const found = [...document.querySelectorAll<T>(selector)].find((one) => text === undefined || one.textContent?.trim().startsWith(text));
    if (found === undefined) throw new Error(`no ${selector} ${text} in ${document.body.textContent}`);
    return found;
  }, 10_000);
}

async function type(selector: string, value: string) {
  const field = await find<HTMLInputElement>(selector);
  await act(() => {
    field.value = value;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

async function click(selector: string, text?: string) {
  const one = await find<HTMLElement>(selector, text);
  await act(() => one.click());
}

const value = (selector: string) => document.querySelector<HTMLInputElement>(selector)?.value;
const RULES = 'textarea[id="editor-Transformation"]';

describe('the test bench', () => {
  it('keeps unsaved rules when the connection is disabled', async () => {
    show('/connections/c?tab=transform');
    await type(RULES, '{"set_headers": []}');
    await click('[role=switch]');
    await vi.waitFor(() => expect(sent).toEqual(['{"enabled":false}']));
    await vi.waitFor(() => expect(document.querySelector('[role=switch]')!.getAttribute('aria-checked')).toBe('false'));
    expect(value(RULES)).toBe('{"set_headers": []}');
    expect(document.body.textContent).not.toContain('Somebody else');
    await click('.save button', 'Save');
    await vi.waitFor(() => expect(document.querySelector('.save')).toBeNull());
    expect(sent[1]).toBe('{"filter_rules":null,"transformation":{"set_headers": []}}');
  });

  it('keeps unsaved rules and says that somebody else saved others', async () => {
    show('/connections/c?tab=transform');
    await type(RULES, '{"set_headers": []}');
    answers['/api/v1/connections/c'] = { ...CONNECTION, transformation: { remove_headers: ['X-A'] }, updated_at: '2' };
    await act(async () => {
      await changed('connections');
    });
    await find('[role=status]', 'Somebody else saved other rules');
    expect(value(RULES)).toBe('{"set_headers": []}');
    await click('.save button', 'Discard');
    expect(value(RULES)).toContain('X-A');
  });
});

describe('the settings of a destination', () => {
  it('keep what was typed while the page reads it again', async () => {
    show('/destinations/d/settings');
    await type('[name=name]', 'Invoices');
    answers['/api/v1/destinations/d'] = { ...DESTINATION, circuit_state: 'open', updated_at: '2' };
    await act(async () => {
      await changed('destinations');
    });
    expect(value('[name=name]')).toBe('Invoices');
    expect(document.body.textContent).not.toContain('Somebody else');

    answers['/api/v1/destinations/d'] = { ...DESTINATION, url: 'https://b.example/', updated_at: '3' };
    await act(async () => {
      await changed('destinations');
    });
    await find('[role=status]', 'Somebody else saved these settings');
    expect(value('[name=name]')).toBe('Invoices');
    await click('button', 'Discard my edits');
    await vi.waitFor(() => expect([value('[name=name]'), value('[name=url]')]).toEqual(['Orders', 'https://b.example/']));
  });

  it('can be saved for a destination whose timeout the API set below a second', async () => {
    answers['/api/v1/destinations/d'] = { ...DESTINATION, timeout_ms: 500 };
    show('/destinations/d/settings');
    await type('[name=name]', 'Invoices');
    await click('button[type=submit]', 'Save');
    await vi.waitFor(() => expect(JSON.parse(sent[0] ?? '{}')).toMatchObject({ name: 'Invoices', timeout_ms: 500 }));
    await vi.waitFor(() => expect(value('[name=timeout_ms]')).toBe('0.5'));
  });

  it('are left only after a question while they have unsaved edits', async () => {
    show('/destinations/d/settings');
    await type('[name=name]', 'Invoices');
    await click('.tabs a', 'Overview');
    await find('dialog', 'Leave without saving?');
    expect(location.pathname).toBe('/destinations/d/settings');
    await click('dialog button', 'Stay');
    expect(value('[name=name]')).toBe('Invoices');

    await click('.tabs a', 'Overview');
    await click('dialog button', 'Leave and discard');
    expect(location.pathname).toBe('/destinations/d');
    await find('section[aria-label=Circuit]');
  });
});

it('asks before the Back button leaves unsaved edits', async () => {
  const Edited = () => {
    useUnsaved(true);
    return <Link href="/edit?tab=2">Tab</Link>;
  };
  history.replaceState(null, '', '/edit');
  void act(() =>
    render(
      <Router hook={useGuardedLocation}>
        <Route path="/edit" component={Edited} />
        <LeaveDialog />
      </Router>,
      root,
    ),
  );
  await click('a');
  expect(document.querySelector('dialog')).toBeNull();
  expect(location.search).toBe('?tab=2');
  // What a browser does on Back: the address is the other one, then the event.
  await act(() => {
    History.prototype.replaceState.call(history, null, '', '/before');
    dispatchEvent(new PopStateEvent('popstate'));
  });
  expect(location.pathname).toBe('/edit');
  await click('dialog button', 'Leave and discard');
  expect(location.pathname).toBe('/before');
});
