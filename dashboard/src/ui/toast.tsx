/** Short messages at the bottom of the page: what happened, and how to undo it. Forms show their errors themselves. */
import { useSyncExternalStore } from 'react';

type Toast = { id: number; text: string; undo?: () => void };

const SHOWN_MILLISECONDS = 6_000;

let toasts: Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function update(next: Toast[]) {
  toasts = next;
  listeners.forEach((listener) => listener());
}

export function toast(text: string, undo?: () => void) {
  const id = nextId++;
  update([...toasts.slice(-2), { id, text, undo }]);
  setTimeout(() => update(toasts.filter((one) => one.id !== id)), SHOWN_MILLISECONDS);
}

export function Toaster() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toaster" role="status">
      {shown.map((one) => (
        <div key={one.id} className="toast">
          <span>{one.text}</span>
          {one.undo && (
            <button
              type="button"
              className="btn quiet"
              onClick={() => {
                one.undo?.();
                update(toasts.filter((other) => other.id !== one.id));
              }}
            >
              Undo
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
