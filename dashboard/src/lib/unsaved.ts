/** Edits that are not saved yet. The shell asks before a page that has some is left. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useBrowserLocation } from 'wouter/use-browser-location';

type Leaving = { go: () => void };

const edited = new Set<object>();
let leaving: Leaving | null = null;
let address = location.href;
const listeners = new Set<() => void>();

function setLeaving(next: Leaving | null) {
  leaving = next;
  listeners.forEach((listener) => listener());
}

const pathOf = (url: string) => new URL(url, location.href).pathname;

/** Registers a component's edits for as long as `isChanged`. */
export function useUnsaved(isChanged: boolean) {
  useEffect(() => {
    if (!isChanged) return;
    const own = {};
    edited.add(own);
    const warn = (event: BeforeUnloadEvent) => {
      if (edited.has(own)) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => {
      edited.delete(own);
      removeEventListener('beforeunload', warn);
    };
  }, [isChanged]);
}

/** Drops all edits, because the user chose to or because what they belong to is deleted. */
export function forgetUnsaved() {
  edited.clear();
}

/** Does something that would lose edits: at once if there are none, or else after asking. */
export function whenSaved(go: () => void) {
  if (edited.size > 0) setLeaving({ go });
  else go();
}

/** The browser's location for wouter. A change of path waits for an answer while there are unsaved edits. */
export function useGuardedLocation(): ReturnType<typeof useBrowserLocation> {
  const [path, navigate] = useBrowserLocation();
  useEffect(() => {
    address = location.href;
  });
  const guarded: typeof navigate = (to, options) => {
    const go = () => navigate(to as string, options);
    if (pathOf(String(to)) === location.pathname) go();
    else whenSaved(go);
  };
  return [path, guarded];
}

/** Puts the address back if the browser's Back or Forward would lose edits, and asks. Runs before wouter's own listener. */
function onHistory(event: Event) {
  const target = location.href;
  if (edited.size === 0 || pathOf(target) === pathOf(address)) {
    address = target;
    return;
  }
  event.stopImmediatePropagation();
  history.pushState(null, '', address);
  setLeaving({ go: () => history.pushState(null, '', target) });
}

addEventListener('popstate', onHistory, true);

/** The way that waits for an answer, or null. */
export function useLeaving(): { leave: () => void; stay: () => void } | null {
  const waiting = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => leaving,
  );
  if (waiting === null) return null;
  return {
    stay: () => setLeaving(null),
    leave: () => {
      forgetUnsaved();
      setLeaving(null);
      waiting.go();
    },
  };
}

export type Draft<T> = {
  value: T;
  isChanged: boolean;
  /** Whether somebody else saved another value since the first edit. */
  isConflicting: boolean;
  set: (change: Partial<T>) => void;
  discard: () => void;
  /** Ends the edits that were sent; those made meanwhile stay. */
  saved: (sent: T) => void;
};

/** Edits of a value that the server may change meanwhile. Without edits, the value is always the server's. */
export function useDraft<T extends Record<string, string>>(stored: T): Draft<T> {
  const [edits, setEdits] = useState<{ base: T; value: T } | null>(null);
  const value = edits?.value ?? stored;
  return {
    value,
    isChanged: edits !== null && !same(value, stored),
    isConflicting: edits !== null && !same(stored, edits.base) && !same(stored, value),
    set: (change) =>
      setEdits((before) => {
        const next = { base: before?.base ?? stored, value: { ...(before?.value ?? stored), ...change } };
        return same(next.base, next.value) ? null : next;
      }),
    discard: () => setEdits(null),
    saved: (sent) => setEdits((before) => (before === null || same(before.value, sent) ? null : { ...before, base: sent })),
  };
}

function same(a: Record<string, string>, b: Record<string, string>): boolean {
  return Object.keys(a).every((name) => a[name] === b[name]);
}
