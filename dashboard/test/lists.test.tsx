// Lists ask for one page, because a workspace may have ten thousand destinations and connections.
import { render, type ComponentChildren } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { queryClient } from '../src/api/queries';
import { ConnectionsPage } from '../src/pages/connections/ConnectionsPage';
import { DestinationsPage } from '../src/pages/destinations/DestinationsPage';
import { draw, emptyPage } from './page';

const TOTAL = 10_000;
const destination = (i: number) => ({ id: `d${i}`, name: `dest-${i}`, url: 'https://a.example/', status: 'active', timeout_ms: 400, circuit_state: 'closed', circuit_reopen_at: null, auth_config: { type: 'none' } });
const source = (id: string) => ({ id, name: `name of ${id}`, color: '#2563eb' });

let asked: string[];
let root: HTMLElement;

beforeEach(() => {
  asked = [];
  root = emptyPage();
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    const url = new URL(path, 'http://a.example');
    const first = (Number(url.searchParams.get('page') ?? 1) - 1) * 50;
    const page = Array.from({ length: 50 }, (_, i) => first + i);
    const answers: Record<string, unknown> = {
      '/api/v1/destinations': { items: page.map(destination), total: TOTAL },
      '/api/v1/connections': { items: page.map((i) => ({ id: `c${i}`, source_id: 's999', destination: destination(i), enabled: true, filter_rules: null, transformation: null })), total: TOTAL },
      '/api/v1/sources': { items: [source('s1')], total: 1_000 },
      '/api/v1/sources/s999': source('s999'),
      '/api/v1/stats/by-destination': { items: [{ destination_id: 'd100', success_rate: 0.9, latency_ms: { p50: 1, p95: 84, p99: 90 }, waiting: { count: 3, oldest_age_seconds: 400 } }] },
    };
    return new Response(JSON.stringify(answers[url.pathname] ?? {}));
  });
});

afterEach(() => {
  render(null, root);
  queryClient.clear();
});

function show(path: string, page: ComponentChildren) {
  draw(root, path, page);
}

it('shows one page of ten thousand destinations, and how those of the page are', async () => {
  show('/destinations?page=3', <DestinationsPage />);
  await vi.waitFor(() => expect(root.querySelectorAll('tbody tr')).toHaveLength(50));
  expect(root.querySelector('tbody tr')!.textContent).toContain('dest-100');
  await vi.waitFor(() => expect(root.querySelector('tbody tr')!.textContent).toContain('90.0 %84 ms3, oldest 6 min'));
  expect(root.querySelectorAll('tbody tr')[1]!.textContent).toContain('–––');
  expect(root.querySelector('.paging')!.textContent).toContain('Page 3 of 200');
  expect(asked.filter((path) => path.startsWith('/api/v1/destinations'))).toEqual(['/api/v1/destinations?page=3&limit=50']);
});

it('shows one page of ten thousand connections, with the name of a source beyond the first 200', async () => {
  show('/connections?q=dest', <ConnectionsPage />);
  await vi.waitFor(() => expect(root.querySelector('tbody tr')?.textContent).toContain('name of s999'));
  expect(asked.filter((path) => path.startsWith('/api/v1/connections'))).toEqual(['/api/v1/connections?page=1&limit=50&q=dest']);
  expect(asked.filter((path) => path === '/api/v1/sources/s999')).toHaveLength(1);
});

it('finds the destination of a new connection by its name', async () => {
  show('/connections?new=1', <ConnectionsPage />);
  const field = await vi.waitFor(() => {
    const found = document.querySelector<HTMLInputElement>('[aria-label="Find destinations by name"]');
    if (found === null) throw new Error('no field');
    return found;
  });
  await act(() => {
    field.value = 'dest-7';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await vi.waitFor(() => expect(asked).toContain('/api/v1/destinations?page=1&limit=50&q=dest-7'));
});
