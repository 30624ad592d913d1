// The sign-in page offers only what the server allows.
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, expect, it, vi } from 'vitest';
import { queryClient } from '../src/api/queries';
import { SignIn } from '../src/shell/SignIn';
import { draw, emptyPage } from './page';

let root: HTMLElement;

async function show(registration: string, hasInvite = false) {
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ status: 'ok', registration })));
  root = emptyPage();
  draw(root, '/', <SignIn hasInvite={hasInvite} />);
  await vi.waitFor(() => expect(queryClient.getQueryData(['status'])).toBeDefined());
  await act(() => undefined);
}

afterEach(() => {
  render(null, root);
  vi.unstubAllGlobals();
});

it('offers an account only where registration is open', async () => {
  await show('closed');
  expect(root.textContent).not.toContain('Create an account');
  render(null, root);
  await show('open');
  await vi.waitFor(() => expect(root.textContent).toContain('Create an account'));
});

it('offers an account to the invited where registration is closed', async () => {
  await show('closed', true);
  expect(root.textContent).toContain('create an account for it');
});
