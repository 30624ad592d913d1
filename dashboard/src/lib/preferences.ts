/** What one person chose in this browser: theme, time zone, single-key shortcuts. */
import { useSyncExternalStore } from 'react';
import type { Zone } from './time';

export type Theme = 'light' | 'dark' | 'system';

export type Preferences = { theme: Theme; zone: Zone; density: 'dense' | 'relaxed'; shortcuts: boolean };

const KEY = 'sluice.preferences';
const DEFAULTS: Preferences = { theme: 'system', zone: 'local', density: 'dense', shortcuts: true };

let current = read();
const listeners = new Set<() => void>();
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

function read(): Preferences {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>) };
  } catch {
    return DEFAULTS; // storage is off, or something else wrote this key
  }
}

export function setPreferences(change: Partial<Preferences>) {
  current = { ...current, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Storage is off: the choice lasts until the page is closed.
  }
  applyPreferences();
  listeners.forEach((listener) => listener());
}

export function isDark(): boolean {
  return current.theme === 'dark' || (current.theme === 'system' && prefersDark.matches);
}

export function applyPreferences() {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  document.documentElement.dataset.density = current.density;
}

prefersDark.addEventListener('change', applyPreferences);

export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

export function preferences(): Preferences {
  return current;
}
