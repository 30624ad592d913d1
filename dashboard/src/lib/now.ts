/** A clock with the server's time, for everything that counts up or down. */
import { useEffect, useState } from 'react';
import { serverNow } from '../api/client';

const TICK_MILLISECONDS = 1000;

/** Everything that ticks, by one timer: a list of 200 rows has 200 of them. */
const listeners = new Set<(now: number) => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function tick() {
  if (document.hidden) return;
  const now = serverNow();
  listeners.forEach((listener) => listener(now));
}

function onTick(listener: (now: number) => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MILLISECONDS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** @returns the time in milliseconds, each second again; nothing ticks while the tab is hidden */
export function useNow(): number {
  return useTimed((now) => now);
}

/** @returns what `read` makes of the time. Only another result draws the part again, so "3 min ago" does so once a minute. */
export function useTimed<T>(read: (now: number) => T): T {
  const [, setLast] = useState(() => read(serverNow()));
  useEffect(() => onTick((now) => setLast(() => read(now))));
  return read(serverNow());
}
