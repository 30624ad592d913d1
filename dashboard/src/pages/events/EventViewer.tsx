/** The received request as payload, headers and raw bytes; what its attempts sent; and the difference between the two. */
import { useState, type ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { LARGE_BODY_BYTES, type Event } from '../../api/queries';
import { useSearchState } from '../../lib/search';
import { useShortcuts } from '../../shell/Shortcuts';
import { bodyBytes } from '../../lib/bytes';
import { parseJson } from '../../lib/json';
import { isSecret } from '../../lib/requests';
import { size, visible } from '../../lib/text';
import { Button, CopyButton, Segments, Tabs } from '../../ui/parts';
import { BodyView, Hex } from './BodyView';
import { DiffTab, SentTab } from './Sent';

type Header = Schemas['Header'];

const TABS = ['payload', 'headers', 'sent', 'diff', 'raw'] as const;
type Tab = (typeof TABS)[number];

type ViewerProps = {
  event: Event;
  deliveries: Schemas['Delivery'][];
  latest: Schemas['Delivery'][];
  /** What is shown where the payload would be, while it is not loaded. */
  instead?: ReactNode;
};

export function EventViewer({ event, deliveries, latest, instead }: ViewerProps) {
  const search = useSearchState();
  const tab: Tab = TABS.find((one) => one === search.get('tab')) ?? 'payload';
  const shown = TABS.filter((one) => (one !== 'sent' && one !== 'diff') || latest.length > 0);
  const hrefOf = (one: Tab) => search.href({ tab: one === 'payload' ? undefined : one });
  useShortcuts('12345', (digit) => {
    const to = shown[Number(digit) - 1];
    if (to !== undefined) search.set({ tab: to === 'payload' ? undefined : to }, { replace: true });
  });
  const labels = { payload: 'Payload', headers: <>Headers {instead === undefined && <span className="faint">{event.header_list.length}</span>}</>, sent: 'Sent', diff: 'Diff', raw: 'Raw' };
  return (
    <div className="view">
      <Tabs
        label="Parts of the request"
        tabs={shown.map((one) => ({
          href: hrefOf(one),
          label: labels[one],
          isOn: one === tab,
        }))}
        end={`${size(event.body_size)}, ${event.content_type ?? 'no content type'}`}
      />
      <div className="view-in">
        {tab === 'sent' ? (
          <SentTab deliveries={deliveries} />
        ) : (
          (instead ?? (
            <>
              {tab === 'payload' && <BodyView text={event.body} base64={event.body_base64} bytes={event.body_size} isWanted />}
              {tab === 'headers' && <Headers headers={event.header_list} />}
              {tab === 'diff' && <DiffTab event={event} deliveries={deliveries} latest={latest} />}
              {tab === 'raw' && <Raw event={event} />}
            </>
          ))
        )}
      </div>
    </div>
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
                  <dt>{visible(header.name)}</dt>
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

function Raw({ event }: { event: Event }) {
  const [form, setForm] = useState<'text' | 'hex'>(event.body_base64 === undefined ? 'text' : 'hex');
  const isCut = event.body.length > LARGE_BODY_BYTES;
  return (
    <div>
      <div className="row in">
        <Segments label="Format" value={form} options={[{ value: 'text', label: 'Text' }, { value: 'hex', label: 'Hex' }]} onChange={setForm} />
        <span className="end row">
          <CopyButton kind="normal" text={event.body_base64 ?? event.body}>
            {event.body_base64 === undefined ? 'Copy' : 'Copy as Base64'}
          </CopyButton>
          <Button onClick={() => download(event)}>Download</Button>
        </span>
      </div>
      {form === 'hex' ? <Hex text={event.body} base64={event.body_base64} /> : <pre className="raw">{visible(isCut ? event.body.slice(0, LARGE_BODY_BYTES) : event.body)}</pre>}
      {form === 'text' && isCut && <p className="faint small in">Only the beginning is shown. Download has everything.</p>}
      {parseJson(event.body) === null && event.content_type?.includes('json') && <p className="faint small in">The content type says JSON, but this is not valid JSON.</p>}
    </div>
  );
}

/** Downloads the body as bytes without a type, so that no browser opens what a stranger sent. */
function download(event: Event) {
  const bytes = bodyBytes(event.body, event.body_base64);
  const url = URL.createObjectURL(new Blob([bytes as BlobPart], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${event.id}.bin`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
