/** The query string as state: every view has an address. */
import { useLocation, useSearch } from 'wouter';

export type SearchState = {
  get(name: string): string;
  /** Changes parameters; an empty value removes one. */
  set(change: Record<string, string | undefined>, options?: { replace?: boolean }): void;
  /** The same page with these changes, as a link. */
  href(change: Record<string, string | undefined>): string;
  text: string;
};

export function useSearchState(): SearchState {
  const text = useSearch();
  const [path, navigate] = useLocation();
  const changed = (change: Record<string, string | undefined>) => {
    const next = new URLSearchParams(text);
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    }
    const query = next.toString();
    return query === '' ? path : `${path}?${query}`;
  };
  return {
    text,
    get: (name) => new URLSearchParams(text).get(name) ?? '',
    set: (change, options) => navigate(changed(change), options),
    href: changed,
  };
}
