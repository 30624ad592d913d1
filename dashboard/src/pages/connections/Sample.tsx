/** A sample event, what the rules make of it, and how many of the latest events would pass. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, callText, type Schemas } from '../../api/client';
import { useEvents, useWholeEvent } from '../../api/queries';
import { member, parseJson, type JsonNode } from '../../lib/json';
import { usePreferences } from '../../lib/preferences';
import { useDebounced } from '../../lib/debounced';
import { bodyLines, diffBodies } from '../../lib/diff';
import { diffHeaders, headerLine } from '../../lib/headers';
import { useSearchState } from '../../lib/search';
import { plural, visible } from '../../lib/text';
import { clock } from '../../lib/time';
import { DiffView } from '../../ui/DiffView';
import { ErrorNote } from '../../ui/form';
import { Icon } from '../../ui/icons';
import { Blank, Button, Panel, Segments } from '../../ui/parts';
import { SAMPLE_BODY } from '../sources/SourcePage';

type Connection = Schemas['Connection'];

const TESTED_EVENTS = 50;
/** How many previews run at once. */
const TESTED_AT_ONCE = 4;

export type RuleResult = { passes: boolean; actual?: string; rules?: RuleResult[] };

export type PreviewResult = { preview: Schemas['Preview']; results: RuleResult[] };

/** What the bench works on: a pasted body if that is chosen, else the event in the address, else the newest event. */
function useSample(connection: Connection) {
  const search = useSearchState();
  const latest = useEvents({ source_id: connection.source_id, limit: TESTED_EVENTS });
  const chosen = search.get('event');
  const pasted = search.get('sample') === 'paste';
  return {
    isPasted: pasted,
    eventId: pasted ? undefined : chosen || latest.data?.items[0]?.id,
    latest: latest.data?.items ?? [],
    isLoading: latest.data === undefined && !latest.isError,
  };
}

/** The pasted body, shared by both sides of the bench. */
let pastedBody = SAMPLE_BODY;

function resultOf(text: string, node: JsonNode): RuleResult {
  const value = (name: string) => {
    const found = member(text, node, name);
    return found && text.slice(found.start, found.end);
  };
  const rules = member(text, node, 'rules');
  return {
    passes: value('passes') === 'true',
    actual: value('actual'),
    rules: rules?.kind === 'array' ? rules.items.map((one) => resultOf(text, one)) : undefined,
  };
}

function requestBody(connection: Connection, filter: string, transformation: string, event: string): string {
  return `{"connection_id":"${connection.id}",${event},"filter_rules":${filter.trim() || 'null'},"transformation":${transformation.trim() || 'null'}}`;
}

async function preview(body: string, signal?: AbortSignal): Promise<PreviewResult> {
  const text = await callText('POST /api/v1/connections/preview', { rawBody: body, signal });
  const rules = member(text, parseJson(text) ?? undefined, 'rules');
  return {
    preview: JSON.parse(text) as Schemas['Preview'],
    results: rules?.kind === 'array' ? rules.items.map((one) => resultOf(text, one)) : [],
  };
}

export function usePreview(connection: Connection, filter: string, transformation: string) {
  const sample = useSample(connection);
  const settled = useDebounced(`${filter}\u0000${transformation}`);
  const [f = '', t = ''] = settled.split('\u0000');
  const event = sample.isPasted
    ? `"sample":${JSON.stringify({ headers: { 'Content-Type': 'application/json' }, body: pastedBody })}`
    : `"event_id":"${sample.eventId}"`;
  const isValid = [f, t].every((one) => one.trim() === '' || parseJson(one) !== null);
  return useQuery({
    queryKey: ['preview', connection.id, settled, event],
    queryFn: ({ signal }) => preview(requestBody(connection, f, t, event), signal),
    enabled: isValid && (sample.isPasted || sample.eventId !== undefined),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 60_000,
  });
}

export function Sample({ connection, filter, transformation }: { connection: Connection; filter: string; transformation: string }) {
  const search = useSearchState();
  const { zone } = usePreferences();
  const sample = useSample(connection);
  const result = usePreview(connection, filter, transformation);
  const mode = sample.isPasted ? 'paste' : search.get('event') !== '' ? 'history' : 'latest';
  const current = sample.latest.find((one) => one.id === sample.eventId);
  return (
    <>
      <div className="row wrap">
        <span className="strong">Sample</span>
        <Segments
          label="Sample"
          value={mode}
          options={[
            { value: 'latest', label: 'Latest' },
            { value: 'history', label: 'From history' },
            { value: 'paste', label: 'Paste' },
          ]}
          onChange={(to) => search.set({ sample: to === 'paste' ? 'paste' : undefined, event: to === 'history' ? sample.latest[0]?.id : undefined }, { replace: true })}
        />
        {current && mode !== 'paste' && <span className="end faint small mono">{clock(current.received_at, zone, true)}</span>}
      </div>
      {mode === 'history' && (
        <select className="field" aria-label="Event of the source" value={sample.eventId} onChange={(event) => search.set({ event: event.currentTarget.value }, { replace: true })}>
          {sample.latest.map((one) => (
            <option key={one.id} value={one.id} selected={one.id === sample.eventId}>
              {clock(one.received_at, zone, true)} {one.id}
            </option>
          ))}
        </select>
      )}
      {mode === 'paste' && <PasteField onChange={() => void result.refetch()} />}
      {mode !== 'paste' && sample.eventId === undefined && !sample.isLoading ? (
        <Panel>
          <Blank icon="events" title="No events yet" action={<Button onClick={() => search.set({ sample: 'paste' }, { replace: true })}>Paste a body</Button>}>
            Send one to the source, or paste a body to try the rules.
          </Blank>
        </Panel>
      ) : (
        <>
          {result.error && <ErrorNote error={result.error} details={result.error instanceof ApiError ? result.error.details : []} />}
          {result.data && !result.error && <Verdict preview={result.data.preview} name={visible(connection.destination.name)} />}
          {sample.latest.length > 0 && <PassRate connection={connection} filter={filter} transformation={transformation} events={sample.latest} current={sample.eventId} />}
          {result.data?.preview.request && !result.error && <Receives request={result.data.preview.request} name={visible(connection.destination.name)} eventId={sample.eventId} />}
        </>
      )}
    </>
  );
}

function PasteField({ onChange }: { onChange: () => void }) {
  const [body, setBody] = useState(pastedBody);
  const settled = useDebounced(body);
  useEffect(() => {
    pastedBody = settled;
    onChange();
  }, [settled]);
  return <textarea className="field mono editor" aria-label="Body of the sample" rows={6} spellcheck={false} value={body} onInput={(event) => setBody(event.currentTarget.value)} />;
}

function Verdict({ preview, name }: { preview: Schemas['Preview']; name: string }) {
  const all = preview.rules.length;
  const passing = preview.rules.filter((rule) => rule.passes).length;
  const rules = all === 0 ? 'There are no rules.' : `${passing} of ${plural(all, 'condition')} ${passing === 1 ? 'holds' : 'hold'}.`;
  if (preview.transformation_error !== undefined) {
    return (
      <div className="verdict bad" role="status">
        <Icon name="unverified" />
        <div>
          <h2>The transformation fails</h2>
          <p>{preview.transformation_error}</p>
        </div>
      </div>
    );
  }
  if (preview.passes === null) {
    return (
      <div className="verdict no" role="status">
        <Icon name="held" />
        <div>
          <h2>Not decided here</h2>
          <p>The rules take too long on this event for a preview. When an event arrives, they are always decided.</p>
        </div>
      </div>
    );
  }
  return (
    <div className={`verdict ${preview.passes ? '' : 'no'}`} role="status">
      <Icon name={preview.passes ? 'delivered' : 'filtered'} />
      <div>
        <h2>{preview.passes ? `Would be sent to ${name}` : 'Would be filtered'}</h2>
        <p>{rules}</p>
      </div>
    </div>
  );
}

/** Whether an event would pass. The server does not decide costly rules in a preview (null), and a request may fail. */
type Tried = boolean | null | 'failed';

const VERDICTS = { true: 'would be sent', false: 'would be filtered', null: 'not decided', failed: 'could not be tried' };

/** Tries the rules on the source's latest events, but only on request, because each event costs an API call. */
function PassRate({ connection, filter, transformation, events, current }: { connection: Connection; filter: string; transformation: string; events: Schemas['EventListItem'][]; current: string | undefined }) {
  const search = useSearchState();
  const [results, setResults] = useState<{ of: string; passes: Map<string, Tried> } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const rules = `${filter}\u0000${transformation}`;
  const run = async () => {
    setBusy(true);
    const passes = new Map<string, Tried>();
    for (let at = 0; at < events.length; at += TESTED_AT_ONCE) {
      const some = events.slice(at, at + TESTED_AT_ONCE).map((event) =>
        preview(requestBody(connection, filter, transformation, `"event_id":"${event.id}"`)).then(
          (result) => passes.set(event.id, result.preview.passes),
          () => passes.set(event.id, 'failed'),
        ),
      );
      await Promise.all(some);
      setResults({ of: rules, passes: new Map(passes) });
    }
    setBusy(false);
  };
  const isCurrent = results?.of === rules;
  // The list of events moves on while they are tried, so each result belongs to an id.
  const tried = isCurrent ? [...results.passes] : [];
  const count = (wanted: Tried) => tried.filter(([, one]) => one === wanted).length;
  const undecided = count(null);
  const failed = count('failed');
  return (
    <Panel
      title={isCurrent ? `${plural(tried.length, 'event')} tried` : `Last ${plural(events.length, 'event')}`}
      note={isCurrent ? 'click a tick to use it as the sample' : undefined}
      end={
        !isCurrent && (
          <Button disabled={isBusy} onClick={() => void run()}>
            Test against them
          </Button>
        )
      }
    >
      {isCurrent ? (
        <div className="stack-s">
          <div className="ticks">
            {tried.map(([id, passes], i) => (
              <button
                key={id}
                type="button"
                className={`tick ${passes === true ? 'pass' : ''} ${id === current ? 'on' : ''}`}
                aria-label={`Event ${i + 1}: ${VERDICTS[`${passes}`]}`}
                onClick={() => search.set({ event: id, sample: undefined }, { replace: true })}
              />
            ))}
          </div>
          <p>
            <b className="strong">
              {count(true)} would be sent, {count(false)} filtered{undecided > 0 && `, ${undecided} not decided`}{failed > 0 && `, ${failed} could not be tried`}.
            </b>
          </p>
        </div>
      ) : (
        <p className="muted">How many of the source’s latest events would pass these rules?</p>
      )}
    </Panel>
  );
}

function Receives({ request, name, eventId }: { request: Schemas['PreviewedRequest']; name: string; eventId: string | undefined }) {
  const [form, setForm] = useState<'changes' | 'full'>('changes');
  const event = useWholeEvent(eventId);
  const before = eventId === undefined ? undefined : event.data;
  return (
    <Panel title={`What ${name} receives`} flush end={before && <Segments label="View" value={form} options={[{ value: 'changes', label: 'Changes' }, { value: 'full', label: 'Full request' }]} onChange={setForm} />}>
      {form === 'changes' && before ? (
        <DiffView
          sections={[
            ['headers', diffHeaders(before.header_list, request.headers)],
            ['body', diffBodies(before, request)],
          ]}
        />
      ) : (
        <pre className="raw">{visible([`${request.method} ${request.url}`, ...request.headers.map(headerLine), '', ...bodyLines(request.body, request.body_base64)].join('\n'))}</pre>
      )}
    </Panel>
  );
}

