/** The ingest token: the secret part of the URL, and how it is replaced without losing an event. */
import { useState } from 'react';
import { call, serverNow, serverUrl, type Schemas } from '../../api/client';
import { changed } from '../../api/queries';
import { useNow } from '../../lib/now';
import { usePreferences } from '../../lib/preferences';
import { dateTime, duration } from '../../lib/time';
import { Field, Form, text } from '../../ui/form';
import { Dialog } from '../../ui/overlay';
import { Button, CopyButton, Note, Panel } from '../../ui/parts';
import { toast } from '../../ui/toast';

type Source = Schemas['Source'];

const OVERLAPS = [
  { value: '0', label: 'Stops working at once' },
  { value: '3600', label: 'Keeps working for an hour' },
  { value: '86400', label: 'Keeps working for a day' },
  { value: '604800', label: 'Keeps working for a week' },
];
const USUAL_OVERLAP = '86400';

/** Whether the token from before the last rotation still accepts events. */
function isOverlapping(source: Source, now: number): boolean {
  return source.previous_token_until !== null && Date.parse(source.previous_token_until) > now;
}

export function TokenPanel({ source }: { source: Source }) {
  const [isRotating, setRotating] = useState(false);
  const { zone } = usePreferences();
  const now = useNow();
  const end = source.previous_token_until;
  return (
    <Panel title="Token" note="the last part of the URL: whoever knows it can send">
      <div className="stack">
        <div className="row">
          <code className="cut">{source.token}</code>
          <CopyButton text={source.token} label="Copy the token" />
          <CopyButton kind="normal" text={serverUrl(source.ingest_path)}>
            Copy URL
          </CopyButton>
          <span className="end">
            <Button onClick={() => setRotating(true)}>Rotate token</Button>
          </span>
        </div>
        {end !== null && isOverlapping(source, now) && (
          <Note icon="retry" tone="retrying">
            The previous token works until {dateTime(end, zone)}, {duration(Date.parse(end) - now)} from now. Give the senders the new URL before that.
          </Note>
        )}
      </div>
      {isRotating && <RotateDialog source={source} onClose={() => setRotating(false)} />}
    </Panel>
  );
}

function RotateDialog({ source, onClose }: { source: Source; onClose: () => void }) {
  return (
    <Dialog title={`Rotate the token of ${source.name}?`} onClose={onClose}>
      <Form
        onSubmit={async (values) => {
          await call('POST /api/v1/sources/{id}/rotate-token', { path: { id: source.id }, body: { overlap_seconds: Number(text(values, 'overlap_seconds')) } });
          await changed('sources');
        }}
        onDone={() => {
          toast('The source has a new URL');
          onClose();
        }}
        footer={(isBusy) => (
          <footer>
            <Button onClick={onClose}>Keep it</Button>
            <Button type="submit" kind="primary" disabled={isBusy}>
              Rotate token
            </Button>
          </footer>
        )}
      >
        <p>The source gets a new URL at once. Senders use the old one until you change them.</p>
        <Field name="overlap_seconds" label="The old URL" value={USUAL_OVERLAP} options={OVERLAPS} hint="After that it answers 404." />
        {isOverlapping(source, serverNow()) && <Note icon="unverified">An older token still works. Rotating again ends it now.</Note>}
      </Form>
    </Dialog>
  );
}
