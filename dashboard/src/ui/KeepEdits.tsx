/** Keeps what was typed into a form when the server's value changes, and says so. */
import { createContext, Fragment, useContext, useState, type ReactNode } from 'react';
import { useUnsaved } from '../lib/unsaved';
import { Note } from './parts';

type Edits = { touch: () => void; clean: () => void };

const Current = createContext<Edits>({ touch: () => undefined, clean: () => undefined });

/** The edits that a form belongs to. `touch` after a change that no field reports, `clean` once all are saved. */
export function useEdits(): Edits {
  return useContext(Current);
}

type Props<T> = {
  stored: T;
  /** The parts that the form edits. A change of any other part is no conflict. */
  edits: (value: T) => unknown;
  children: (value: T) => ReactNode;
};

export function KeepEdits<T>({ stored, edits, children }: Props<T>) {
  const [kept, setKept] = useState<T | null>(null);
  const [version, setVersion] = useState(0);
  useUnsaved(kept !== null);
  const value = kept ?? stored;
  const key = JSON.stringify(edits(value));
  const isConflicting = kept !== null && key !== JSON.stringify(edits(stored));
  const discard = () => {
    setKept(null);
    setVersion((before) => before + 1);
  };
  return (
    <Current.Provider value={{ touch: () => setKept((before) => before ?? stored), clean: discard }}>
      {isConflicting && (
        <div role="status">
          <Note icon="unverified" tone="retrying">
            <b>Somebody else saved these settings while you edited them.</b> Saving replaces theirs.{' '}
            <button type="button" className="link" onClick={discard}>
              Discard my edits and show theirs
            </button>
          </Note>
        </div>
      )}
      <Fragment key={`${version}${key}`}>{children(value)}</Fragment>
    </Current.Provider>
  );
}
