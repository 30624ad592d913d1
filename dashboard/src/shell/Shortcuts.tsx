/** Single-key shortcuts. They are off while somebody types, and Settings can turn them off altogether (WCAG 2.1.4). */
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { preferences, setPreferences } from '../lib/preferences';
import { Dialog } from '../ui/overlay';
import { PLACES } from './places';

const GO_TIMEOUT = 1_500;

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return target.matches?.('input, textarea, select, [contenteditable]') || document.querySelector('dialog[open]') !== null;
}

/** Runs `act` when the key is pressed, unless somebody is typing. */
export function useShortcut(key: string, act: () => void) {
  useKeys((pressed) => pressed === key, act);
}

/** Does the same for several keys, each a single character. */
export function useShortcuts(keys: string, act: (key: string) => void) {
  useKeys((pressed) => pressed.length === 1 && keys.includes(pressed), act);
}

/** Closes something with Escape, which is no single-key shortcut of WCAG 2.1.4 and so works always. */
export function useEscape(isOpen: boolean, close: () => void) {
  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !isTyping(event)) close();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

function useKeys(isWanted: (key: string) => boolean, act: (key: string) => void) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (isWanted(event.key) && isPlain && preferences().shortcuts && !isTyping(event)) {
        event.preventDefault();
        act(event.key);
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

const HELP_EVENT = 'sluice:help';

export function openHelp() {
  dispatchEvent(new Event(HELP_EVENT));
}

export function Shortcuts() {
  const [, navigate] = useLocation();
  const [isHelpOpen, setHelpOpen] = useState(false);

  useEffect(() => {
    let isGoing = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const help = () => setHelpOpen(true);
    const onKey = (event: KeyboardEvent) => {
      if (!preferences().shortcuts || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isGoing) {
        isGoing = false;
        const place = PLACES.find((one) => one.key === event.key);
        if (place) {
          event.preventDefault();
          event.stopImmediatePropagation();
          navigate(place.path);
        }
        return;
      }
      if (event.key === 'g') {
        isGoing = true;
        clearTimeout(timer);
        timer = setTimeout(() => (isGoing = false), GO_TIMEOUT);
      }
      if (event.key === '?') help();
      if (event.key === 't') {
        setPreferences({ theme: document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark' });
      }
    };
    addEventListener('keydown', onKey, true);
    addEventListener(HELP_EVENT, help);
    return () => {
      removeEventListener('keydown', onKey, true);
      removeEventListener(HELP_EVENT, help);
    };
  }, [navigate]);

  if (!isHelpOpen) return null;
  const rows: [string, string][] = [
    ['Ctrl K', 'Search or jump to'],
    ['?', 'This list'],
    ['t', 'Switch the theme'],
    ['/', 'Filter the events; Esc leaves the field'],
    ['j, k', 'Next and previous event or group of failures'],
    ['r', 'Resend the open event'],
    ['y', 'Copy the link to the open event'],
    ['1 to 5', 'Tabs of the open event'],
    ['p', 'Pause the live view'],
    ['Esc', 'Close'],
    ...PLACES.map((place): [string, string] => [`g ${place.key}`, place.label]),
  ];
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => setHelpOpen(false)}>
      <div className="in keys">
        {rows.map(([keys, what]) => (
          <div key={keys}>
            <span>{what}</span>
            <kbd>{keys}</kbd>
          </div>
        ))}
      </div>
      <footer className="faint small">Single keys can be turned off in Settings.</footer>
    </Dialog>
  );
}
