/** The test bench: the filter and transformation of a connection on the left, and on the right what they make of a real event. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { ApiError, call, callText, type Schemas } from '../../api/client';
import { changed, useSource } from '../../api/queries';
import { formatJson, parseJson, sourceOf } from '../../lib/json';
import { useSearchState } from '../../lib/search';
import { useDebounced } from '../../lib/debounced';
import { plural } from '../../lib/text';
import { forgetUnsaved, useDraft, useUnsaved } from '../../lib/unsaved';
import { Page } from '../../shell/Page';
import { Confirm } from '../../ui/AtControl';
import { ErrorNote } from '../../ui/form';
import { LoadError } from '../../ui/gate';
import { Button, Note, Skeleton, Tabs } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { EnabledToggle, stepsOf } from './ConnectionsPage';
import { FilterEditor } from './FilterEditor';
import { Sample } from './Sample';
import { ThenTransform } from './ThenTransform';

type Connection = Schemas['Connection'];

/** The connection, with its rules kept as source text, so that numbers are not rounded when shown or saved. */
type Loaded = { connection: Connection; filter: string; transformation: string };

export const EMPTY_FILTER = '{\n  "operator": "and",\n  "rules": []\n}';

const EXAMPLE_TRANSFORMATION = '{\n  "set_headers": [{ "name": "X-Origin", "value": "{{source.name}}" }],\n  "remove_headers": ["X-Internal"],\n  "merge_body_fields": { "relayed": true }\n}';

async function load(id: string, signal: AbortSignal): Promise<Loaded> {
  const text = await callText('GET /api/v1/connections/{id}', { path: { id }, signal });
  return {
    connection: JSON.parse(text) as Connection,
    filter: sourceOf(text, 'filter_rules') ?? '',
    transformation: sourceOf(text, 'transformation') ?? '',
  };
}

export function ConnectionPage() {
  const { id = '' } = useParams<{ id: string }>();
  const query = useQuery({ queryKey: ['connections', id, 'text'], queryFn: ({ signal }) => load(id, signal), refetchOnWindowFocus: false });
  if (query.data === undefined) {
    return (
      <Page title="Connection" up={<Link href="/connections">Connections</Link>}>
        {query.isError ? <LoadError what="The connection" query={query} /> : <Skeleton />}
      </Page>
    );
  }
  return <Bench key={id} loaded={query.data} />;
}

function Bench({ loaded }: { loaded: Loaded }) {
  const { connection } = loaded;
  const search = useSearchState();
  const source = useSource(connection.source_id);
  const draft = useDraft({ filter: loaded.filter, transformation: loaded.transformation });
  const { filter, transformation } = draft.value;
  const setTransformation = (text: string) => draft.set({ transformation: text });
  const [isDeleting, setDeleting] = useState(false);
  const tab = search.get('tab') === 'transform' ? 'transform' : 'filter';
  const wrong = [filter, transformation].some((one) => one.trim() !== '' && parseJson(one) === null);

  const save = useMutation({
    mutationFn: (rules: typeof draft.value) =>
      callText('PATCH /api/v1/connections/{id}', {
        path: { id: connection.id },
        rawBody: `{"filter_rules":${rules.filter.trim() || 'null'},"transformation":${rules.transformation.trim() || 'null'}}`,
      }),
    onSuccess: async (_, rules) => {
      await changed('connections');
      draft.saved(rules);
      toast('Saved. It applies to events from now on');
    },
  });
  useUnsaved(draft.isChanged);
  useSaveKey(() => draft.isChanged && !wrong && !save.isPending && save.mutate(draft.value));

  const name = source.data?.name ?? 'source';
  return (
    <Page title={`${name} to ${connection.destination.name}`} up={<Link href="/connections">Connections</Link>} className="bench">
      <Tabs
        label="Connection"
        tabs={[
          { href: search.href({ tab: undefined }), label: 'Filter', isOn: tab === 'filter' },
          {
            href: search.href({ tab: 'transform' }),
            label: <>Transform {connection.transformation && <span className="faint">{plural(stepsOf(connection.transformation), 'step')}</span>}</>,
            isOn: tab === 'transform',
          },
        ]}
        end={
          <>
            <Button kind="quiet" onClick={() => setDeleting(true)}>
              Delete
            </Button>
            Enabled <EnabledToggle connection={connection} />
          </>
        }
      />
      <div className="cols">
        <div>
          {connection.unreadable_fields && (
            <Note icon="unverified" tone="failed">
              The server cannot read the stored {connection.unreadable_fields.join(' and ')}. Save them again; deliveries are held until then.
            </Note>
          )}
          {tab === 'filter' ? (
            <>
              <FilterEditor connection={connection} text={filter} transformation={transformation} onChange={(text) => draft.set({ filter: text })} />
              <ThenTransform text={transformation} editHref={search.href({ tab: 'transform' })} />
            </>
          ) : (
            <JsonEditor
              label="Transformation"
              text={transformation}
              onChange={setTransformation}
              empty={<Button onClick={() => setTransformation(EXAMPLE_TRANSFORMATION)}>Start from an example</Button>}
              hint="Order: rename_headers, remove_headers, set_headers, then merge_body_fields. Values may contain {{source.name}}, {{event.id}} or {{timestamp}}."
            />
          )}
          {draft.isConflicting && !save.isPending && (
            <div role="status">
              <Note icon="unverified" tone="retrying">
                <b>Somebody else saved other rules while you edited them.</b> Saving replaces theirs; Discard shows them.
              </Note>
            </div>
          )}
          {save.error && <SaveError error={save.error} />}
        </div>
        <div>
          <Sample connection={connection} filter={filter} transformation={transformation} />
        </div>
      </div>
      {draft.isChanged && (
        <div className="save">
          <span className="dot" />
          <span className="strong">Unsaved changes</span>
          <span className="muted cut hide-s">Applies to events received after saving. Waiting deliveries keep their filter result.</span>
          <span className="end row">
            <Button
              kind="quiet"
              onClick={() => {
                draft.discard();
                save.reset();
              }}
            >
              Discard
            </Button>
            <Button kind="primary" disabled={wrong || save.isPending} onClick={() => save.mutate(draft.value)}>
              Save <kbd>Ctrl S</kbd>
            </Button>
          </span>
        </div>
      )}
      {isDeleting && <DeleteConnection connection={connection} name={name} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

function SaveError({ error }: { error: Error }) {
  return <ErrorNote error={error} details={error instanceof ApiError ? error.details : []} />;
}

export function JsonEditor({ label, text, onChange, hint, empty }: { label: string; text: string; onChange: (text: string) => void; hint?: string; empty?: ReactNode }) {
  const settled = useDebounced(text);
  const isWrong = settled.trim() !== '' && parseJson(settled) === null;
  return (
    <div className="stack-s">
      <div className="row">
        <label className="strong" htmlFor={`editor-${label}`}>
          {label}
        </label>
        <span className="end row">
          {text.trim() === '' ? (
            empty
          ) : (
            <>
              <Button kind="quiet" disabled={isWrong} onClick={() => onChange(formatJson(text) ?? text)}>
                Format
              </Button>
              <Button kind="quiet" onClick={() => onChange('')}>
                Clear
              </Button>
            </>
          )}
        </span>
      </div>
      <textarea
        id={`editor-${label}`}
        className={`field mono editor ${isWrong ? 'bad' : ''}`}
        rows={18}
        spellcheck={false}
        aria-invalid={isWrong}
        value={text}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {isWrong && <p className="t-failed small">This is not valid JSON yet.</p>}
      {hint !== undefined && <p className="faint small">{hint}</p>}
    </div>
  );
}

function useSaveKey(save: () => void) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === 's') {
        event.preventDefault();
        save();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

function DeleteConnection({ connection, name, onClose }: { connection: Connection; name: string; onClose: () => void }) {
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/v1/connections/{id}', { path: { id: connection.id } }),
    onSuccess: () => {
      forgetUnsaved();
      toast('Connection deleted');
      navigate('/connections');
      void changed('connections', 'events', 'dlq');
    },
  });
  return (
    <Confirm title="Delete this connection?" action="Delete connection" of={remove} onConfirm={() => remove.mutate()} onClose={onClose}>
      Events of {name} no longer go to {connection.destination.name}. Deliveries waiting here end as failed. This cannot be undone.
    </Confirm>
  );
}
