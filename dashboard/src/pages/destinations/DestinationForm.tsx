/** The form with all settings of a destination. */
import { useState } from 'react';
import { ApiError, call, type Schemas } from '../../api/client';
import { changed } from '../../api/queries';
import { seconds } from '../../lib/time';
import { ConfigFields, configOf } from '../../ui/ConfigFields';
import { Field, Form, text } from '../../ui/form';
import { useEdits } from '../../ui/KeepEdits';
import { Button, Note } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { AUTH_FIELDS, AUTH_NAMES, type AuthType } from './auth';
import { parseIntervals, RetryRuler } from './RetryRuler';

type Destination = Schemas['Destination'];
type Choice = Exclude<AuthType, 'unreadable'>;

const DEFAULT_INTERVALS = [30, 120, 600, 3600, 14400];
const DEFAULT_TIMEOUT_SECONDS = 10;
const DEFAULT_IN_FLIGHT = 32;

type Row = { key: number; name: string; value: string; isSecret: boolean };

export function DestinationForm({ destination, onSaved }: { destination?: Destination; onSaved: (saved: Destination) => void }) {
  const savedAuth = destination?.auth_config;
  const [auth, setAuth] = useState<Choice>(savedAuth === undefined || savedAuth.type === 'unreadable' ? 'none' : savedAuth.type);
  const [isAuthTouched, setAuthTouched] = useState(destination === undefined);
  const [schedule, setSchedule] = useState((destination?.retry_policy.intervals_seconds ?? DEFAULT_INTERVALS).map(seconds).join(', '));
  const [rows, setRows] = useState<Row[]>(() => rowsOf(destination));
  const edits = useEdits();
  const intervals = parseIntervals(schedule);

  const save = async (values: FormData) => {
    if (intervals === null) throw refused('retry_policy', 'Write durations separated by commas, such as 30 s, 2 min, 1 h.');
    const timeout = Number(text(values, 'timeout_ms'));
    if (!(timeout >= 0.001 && timeout <= 300)) throw refused('timeout_ms', 'Must be from 0.001 to 300 seconds.');
    const perSecond = text(values, 'rate_limit');
    const named = rows.filter((row) => row.name.trim() !== '');
    const body = {
      name: text(values, 'name'),
      url: text(values, 'url'),
      timeout_ms: Math.round(timeout * 1000),
      retry_policy: { intervals_seconds: intervals },
      max_in_flight: Number(text(values, 'max_in_flight')),
      rate_limit: perSecond === '' ? null : { per_second: Number(perSecond) },
      ...(isAuthTouched ? { auth_config: { type: auth, ...configOf(values, 'auth_config', AUTH_FIELDS[auth]) } } : {}),
      ...(sameRows(rows, rowsOf(destination))
        ? {}
        : {
            custom_headers: Object.fromEntries(named.map((row) => [row.name.trim(), row.value])),
            secret_headers: named.filter((row) => row.isSecret).map((row) => row.name.trim()),
          }),
    };
    const saved =
      destination === undefined
        ? await call('POST /api/v1/destinations', { body })
        : await call('PATCH /api/v1/destinations/{id}', { path: { id: destination.id }, body });
    await changed('destinations', 'connections');
    toast(destination === undefined ? `${saved.name} is ready` : 'Saved. It applies to every attempt from now on');
    onSaved(saved);
  };

  return (
    <Form
      onSubmit={save}
      footer={(isBusy) => (
        <footer>
          <Button type="submit" kind="primary" disabled={isBusy}>
            {destination === undefined ? 'Create destination' : 'Save'}
          </Button>
        </footer>
      )}
    >
      <Field name="name" label="Name" value={destination?.name ?? ''} placeholder="billing-api" autoFocus={destination === undefined} />
      <Field name="url" label="URL" type="url" mono value={destination?.url ?? ''} placeholder="https://api.example.com/webhooks" hint="Private addresses are refused unless the server’s SLUICE_ALLOW_PRIVATE_DESTINATIONS names them." />
      <div className="pair">
        <Field name="timeout_ms" label="Timeout" type="number" min={0.001} max={300} unit="seconds" value={(destination?.timeout_ms ?? DEFAULT_TIMEOUT_SECONDS * 1000) / 1000} hint="Up to 300." />
        <Field name="max_in_flight" label="In flight" type="number" min={1} max={256} unit="per node" value={destination?.max_in_flight ?? DEFAULT_IN_FLIGHT} />
        <Field name="rate_limit" label="Rate limit" type="number" min={1} unit="per second" value={destination?.rate_limit?.per_second ?? ''} placeholder="none" />
      </div>
      <fieldset className="cards">
        <legend>Signing</legend>
        {(Object.keys(AUTH_FIELDS) as Choice[]).map((one) => (
          <label key={one} className={one === auth ? 'card on' : 'card'}>
            <input
              type="radio"
              name="auth_type"
              value={one}
              checked={one === auth}
              onChange={() => {
                setAuth(one);
                setAuthTouched(true);
              }}
            />
            {AUTH_NAMES[one]}
          </label>
        ))}
      </fieldset>
      {savedAuth?.type === 'unreadable' && (
        <Note icon="unverified" tone="failed">
          The server cannot read the stored credentials: the master key has changed, or they are damaged. Enter them again; deliveries are held until then.
        </Note>
      )}
      {!isAuthTouched && auth !== 'none' ? (
        <div className="row">
          <span className="muted small">The stored credentials stay as they are.</span>
          <Button onClick={() => setAuthTouched(true)}>Change them</Button>
        </div>
      ) : (
        <div key={auth} className="config">
          <ConfigFields within="auth_config" fields={AUTH_FIELDS[auth]} saved={savedAuth?.type === auth ? (savedAuth as Record<string, unknown>) : undefined} />
        </div>
      )}
      <Field
        name="retry_policy"
        label="Retry schedule"
        value={schedule}
        onChange={setSchedule}
        error={intervals === null ? 'Write durations separated by commas, such as 30 s, 2 min, 1 h.' : undefined}
        hint="The wait before each retry."
      />
      <div className="ruler">{intervals !== null && <RetryRuler intervals={intervals} />}</div>
      <Headers
        rows={rows}
        onChange={(changed) => {
          edits.touch();
          setRows(changed);
        }}
      />
    </Form>
  );
}

function refused(field: string, message: string): ApiError {
  return new ApiError(422, 'validation_failed', message, [{ field, message }]);
}

function rowsOf(destination: Destination | undefined): Row[] {
  return Object.entries(destination?.custom_headers ?? {}).map(([name, value], key) => ({ key, name, value, isSecret: destination?.secret_headers.includes(name) ?? false }));
}

function sameRows(a: Row[], b: Row[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function Headers({ rows, onChange }: { rows: Row[]; onChange: (rows: Row[]) => void }) {
  const set = (key: number, change: Partial<Row>) => onChange(rows.map((row) => (row.key === key ? { ...row, ...change } : row)));
  return (
    <fieldset className="headers-edit">
      <legend>Custom headers</legend>
      {rows.map((row, i) => (
        <div className="header-row" key={row.key}>
          <input className="field mono" aria-label={`Name of header ${i + 1}`} name={i === 0 ? 'custom_headers' : undefined} placeholder="X-Env" value={row.name} onInput={(event) => set(row.key, { name: event.currentTarget.value })} />
          <input className="field mono" aria-label={`Value of header ${i + 1}`} placeholder="value" value={row.value} onInput={(event) => set(row.key, { value: event.currentTarget.value })} />
          <label className="check-label">
            <input type="checkbox" checked={row.isSecret} onChange={(event) => set(row.key, { isSecret: event.currentTarget.checked })} />
            Secret
          </label>
          <Button kind="quiet" icon="x" label={`Remove header ${row.name}`} onClick={() => onChange(rows.filter((other) => other.key !== row.key))} />
        </div>
      ))}
      <div>
        <Button kind="quiet" icon="plus" onClick={() => onChange([...rows, { key: Date.now(), name: '', value: '', isSecret: false }])}>
          Header
        </Button>
      </div>
      {rows.some((row) => row.value === '***') && <p className="faint small">A secret value shows as ***. To change the headers, enter it again.</p>}
    </fieldset>
  );
}
