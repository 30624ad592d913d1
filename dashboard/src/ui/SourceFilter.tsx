/** Chooses sources for a filter. The server searches, because a workspace may have thousands. */
import { useEffect, useId, useRef, useState } from 'react';
import { useSources, useSourcesById } from '../api/queries';
import { useDebounced } from '../lib/debounced';
import { count, shortId } from '../lib/text';
import { Gate } from './gate';
import { Icon } from './icons';
import { useCloseOutside } from './overlay';
import { SourceName } from './parts';

/** How many are listed at once; typing a part of the name finds the others. */
const LISTED = 50;

type SourceFilterProps = {
  /** The chosen ids; none means all sources. */
  chosen: string[];
  onChange: (ids: string[]) => void;
  isMultiple?: boolean;
  align?: 'start' | 'end';
  className?: string;
};

/** A button that opens the list. Escape and a click elsewhere close it. */
export function SourceFilter({ chosen, onChange, isMultiple, align = 'start', className = '' }: SourceFilterProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const byId = useSourcesById(chosen);
  useEffect(() => {
    if (isOpen) root.current?.querySelector('input')?.focus();
  }, [isOpen]);
  useCloseOutside(root, isOpen, () => setOpen(false));
  const close = () => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    close();
  };
  const [first = ''] = chosen;
  const label = chosen.length === 0 ? 'All sources' : chosen.length === 1 ? (byId.get(first)?.name ?? shortId(first)) : `${count(chosen.length)} sources`;
  return (
    <div ref={root} className={`menu-root ${className}`} onKeyDown={(isOpen ? onKeyDown : undefined) as never}>
      <button type="button" className="btn" aria-haspopup="dialog" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="cut">{label}</span>
        <Icon name="down" />
      </button>
      {isOpen && (
        <div className={`menu source-filter ${align}`} role="dialog" aria-label="Sources">
          <Choices
            chosen={chosen}
            isMultiple={isMultiple ?? false}
            onChange={(ids) => {
              onChange(ids);
              if (!isMultiple) close();
            }}
          />
        </div>
      )}
    </div>
  );
}

function Choices({ chosen, isMultiple, onChange }: { chosen: string[]; isMultiple: boolean; onChange: (ids: string[]) => void }) {
  const [q, setQ] = useState('');
  const name = useId();
  const found = useSources({ q: useDebounced(q), page: 1, limit: LISTED });
  const choose = (id: string) => {
    if (!isMultiple) return onChange([id]);
    onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  };
  const type = isMultiple ? 'checkbox' : 'radio';
  return (
    <>
      <input className="field" type="search" aria-label="Find sources by name" placeholder="Find by name" value={q} onInput={(event) => setQ(event.currentTarget.value)} />
      <label>
        <input type={type} name={name} checked={chosen.length === 0} onChange={() => onChange([])} />
        <span>All sources</span>
      </label>
      <Gate query={found} what="The sources" rows={2}>
        {({ items, total = items.length }) => (
          <>
            {items.map((one) => (
              <label key={one.id}>
                <input type={type} name={name} checked={chosen.includes(one.id)} onChange={() => choose(one.id)} />
                <SourceName name={one.name} color={one.color} />
              </label>
            ))}
            {items.length === 0 && <p className="faint small">No source has this in its name.</p>}
            {total > items.length && <p className="faint small">The first {items.length} of {count(total)}. Type a part of the name.</p>}
          </>
        )}
      </Gate>
    </>
  );
}
