/** The request as it came: payload, headers, raw bytes; and what a resend would send now. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call, type Schemas } from '../../api/client';
import { useSearchState } from '../../lib/search';
import { fromBase64, hexDump } from '../../lib/bytes';
import { formatJson, parseJson } from '../../lib/json';
import { diff } from '../../lib/diff';
import { diffHeaders } from '../../lib/headers';
import { isSecret } from '../../lib/requests';
import { size, visible } from '../../lib/text';
import { Gate } from '../../ui/gate';
import { JsonView } from '../../ui/JsonView';
import { Blank, Button, CopyButton, Segments, Tabs } from '../../ui/parts';
import { DiffView } from '../../ui/DiffView';

type Event = Schemas['Event'];
type Header = Schemas['Header'];

/** Larger bodies are drawn only when somebody asks. */
const LARGE_BODY_BYTES = 256 * 1024;
const MAX_HEX_BYTES = 64 * 1024;

const TABS = ['payload', 'headers', 'resend', 'raw'] as const;
type Tab = (typeof TABS)[number];

export function EventViewer({ event, latest }: { event: Event; latest: Schemas['Delivery'][] }) {
  const search = useSearchState();
  const tab: Tab = TABS.find((one) => one === search.get('tab')) ?? 'payload';
  const labels = { payload: 'Payload', headers: <>Headers <span className="faint">{event.header_list.length}</span></>, resend: 'Diff', raw: 'Raw' };
  return (
    <div className="view">
      <Tabs
        label="Parts of the request"
        tabs={TABS.filter((one) => one !== 'resend' || latest.length > 0).map((one) => ({
          href: search.href({ tab: one === 'payload' ? undefined : one }),
          label: labels[one],
          isOn: one === tab,
        }))}
        end={`${size(event.body_size)}, ${event.content_type ?? 'no content type'}`}
      />
      <div className="view-in">
        {tab === 'payload' && <Payload event={event} />}
        {tab === 'headers' && <Headers headers={event.header_list} />}
        {tab === 'resend' && <ResendPreview event={event} latest={latest} />}
        {tab === 'raw' && <Raw event={event} />}
      </div>
    </div>
  );
}

function Payload({ event }: { event: Event }) {
  const [isAsked, setAsked] = useState(false);
  if (event.body_size === 0) return <Blank icon="ring" title="The body is empty" />;
  if (event.body_size > LARGE_BODY_BYTES && !isAsked) {
    return (
      <Blank icon="events" title={`The body has ${size(event.body_size)}`} action={<Button onClick={() => setAsked(true)}>Show it</Button>}>
        Drawing it may take a moment.
      </Blank>
    );
  }
  if (event.body_base64 !== undefined) return <Hex base64={event.body_base64} />;
  return <JsonView text={event.body} />;
}

function Hex({ base64 }: { base64: string }) {
  const dump = useMemo(() => {
    const bytes = fromBase64(base64);
    return { text: hexDump(bytes, MAX_HEX_BYTES), isCut: bytes.length > MAX_HEX_BYTES };
  }, [base64]);
  return (
    <>
      <pre className="raw">{dump.text}</pre>
      {dump.isCut && <p className="faint small in">These are the first 64 KiB. Raw downloads all of them.</p>}
    </>
  );
}

const TRANSPORT = /^(host|content-|accept|user-agent|connection|x-forwarded|forwarded|via|x-real-ip|traceparent)/i;

function Headers({ headers }: { headers: Header[] }) {
  const [isRevealed, setRevealed] = useState(false);
  const groups: [string, Header[]][] = [
    ['Signature and credentials', headers.filter((one) => isSecret(one.name))],
    ['From the sender', headers.filter((one) => !isSecret(one.name) && !TRANSPORT.test(one.name))],
    ['Transport', headers.filter((one) => !isSecret(one.name) && TRANSPORT.test(one.name))],
  ];
  return (
    <div className="in stack">
      {groups
        .filter(([, all]) => all.length > 0)
        .map(([title, all]) => (
          <section key={title}>
            <div className="row">
              <h3>{title}</h3>
              {title.startsWith('Signature') && (
                <button type="button" className="link end" aria-pressed={isRevealed} onClick={() => setRevealed(!isRevealed)}>
                  {isRevealed ? 'Hide values' : 'Reveal values'}
                </button>
              )}
            </div>
            <dl className="kv headers mono">
              {all.map((header, i) => (
                <div className="kv-row" key={i}>
                  <dt>{header.name}</dt>
                  <dd>{isSecret(header.name) && !isRevealed ? '••••••••' : visible(header.value)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      <div className="row">
        <CopyButton kind="normal" text={headers.map((one) => `${one.name}: ${one.value}`).join('\n')}>
          Copy all
        </CopyButton>
      </div>
    </div>
  );
}

/** What a resend would send now, against what came: the connection's present transformation applied by the server. */
function ResendPreview({ event, latest }: { event: Event; latest: Schemas['Delivery'][] }) {
  const [connection, setConnection] = useState(latest[0]?.connection_id ?? '');
  const preview = useQuery({
    queryKey: ['preview', event.id, connection],
    queryFn: ({ signal }) => call('POST /api/v1/connections/preview', { body: { connection_id: connection, event_id: event.id }, signal }),
  });
  return (
    <div>
      <div className="row in wrap">
        <span className="muted small">What came, and what a resend would send now to</span>
        <Segments label="Destination" value={connection} options={latest.map((one) => ({ value: one.connection_id, label: one.destination_name }))} onChange={setConnection} />
      </div>
      <Gate query={preview} what="The request" rows={4}>
        {(made) =>
          made.request === null ? (
            <Blank icon="filtered" title="The filter would not let it pass">
              {made.transformation_error ?? 'Today’s filter does not match; a resend ignores the filter.'}
            </Blank>
          ) : (
            <DiffView
              sections={[
                ['headers', diffHeaders(event.header_list, made.request.headers)],
                ['body', diff(bodyLines(event.body, event.body_base64), bodyLines(made.request.body, made.request.body_base64))],
              ]}
            />
          )
        }
      </Gate>
    </div>
  );
}

function bodyLines(body: string, base64: string | undefined): string[] {
  return base64 !== undefined ? [`(${base64.length} characters of Base64)`] : (formatJson(body) ?? body).split('\n');
}

function Raw({ event }: { event: Event }) {
  const [form, setForm] = useState<'text' | 'hex'>(event.body_base64 === undefined ? 'text' : 'hex');
  const base64 = event.body_base64 ?? encode(event.body);
  const isLarge = event.body_size > LARGE_BODY_BYTES;
  return (
    <div>
      <div className="row in">
        <Segments label="Form" value={form} options={[{ value: 'text', label: 'Text' }, { value: 'hex', label: 'Hex' }]} onChange={setForm} />
        <span className="end row">
          <CopyButton kind="normal" text={event.body}>
            Copy
          </CopyButton>
          <Button onClick={() => download(event)}>Download</Button>
        </span>
      </div>
      {form === 'hex' ? <Hex base64={base64} /> : <pre className="raw">{visible(isLarge ? event.body.slice(0, LARGE_BODY_BYTES) : event.body)}</pre>}
      {parseJson(event.body) === null && event.content_type?.includes('json') && <p className="faint small in">The content type says JSON, but this is not valid JSON.</p>}
    </div>
  );
}

function encode(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** Always as bytes without a type, so that no browser opens what a stranger sent. */
function download(event: Event) {
  const bytes = event.body_base64 === undefined ? new TextEncoder().encode(event.body) : fromBase64(event.body_base64);
  const url = URL.createObjectURL(new Blob([bytes as BlobPart], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${event.id}.bin`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
