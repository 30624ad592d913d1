// The document into which tests draw pages.
import { QueryClientProvider } from '@tanstack/react-query';
import { render, type ComponentChildren } from 'preact';
import { act } from 'preact/test-utils';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { queryClient } from '../src/api/queries';

/** Empties the document and forgets what was read before. Returns the element into which pages are drawn. */
export function emptyPage(): HTMLElement {
  queryClient.clear();
  document.body.innerHTML = '<div id="app"></div>';
  return document.getElementById('app')!;
}

/** Draws what the address shows. Returns the location, which moves with links and keeps its history. */
export function draw(root: HTMLElement, path: string, page: ComponentChildren) {
  const location = memoryLocation({ path, record: true });
  void act(() =>
    render(
      <QueryClientProvider client={queryClient}>
        <Router hook={location.hook} searchHook={location.searchHook}>
          {page}
        </Router>
      </QueryClientProvider>,
      root,
    ),
  );
  return location;
}
