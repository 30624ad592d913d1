/** A body as a tree, as text, or as bytes. */
import { useMemo, useState } from 'react';
import { LARGE_BODY_BYTES } from '../../api/queries';
import { bodyBytes, hexDump } from '../../lib/bytes';
import { size } from '../../lib/text';
import { JsonView } from '../../ui/JsonView';
import { Blank, Button } from '../../ui/parts';

const MAX_HEX_BYTES = 64 * 1024;

export function BodyView({ text, base64, bytes, isWanted = false }: { text: string; base64: string | undefined; bytes: number; isWanted?: boolean }) {
  const [isAsked, setAsked] = useState(isWanted);
  if (bytes === 0) return <Blank icon="ring" title="The body is empty" />;
  if (bytes > LARGE_BODY_BYTES && !isAsked) {
    return (
      <Blank icon="events" title={`The body is ${size(bytes)}`} action={<Button onClick={() => setAsked(true)}>Show it</Button>}>
        Drawing it may take a moment.
      </Blank>
    );
  }
  return base64 === undefined ? <JsonView text={text} /> : <Hex text={text} base64={base64} />;
}

export function Hex({ text, base64 }: { text: string; base64: string | undefined }) {
  const dump = useMemo(() => {
    const bytes = bodyBytes(text, base64);
    return { text: hexDump(bytes, MAX_HEX_BYTES), isCut: bytes.length > MAX_HEX_BYTES };
  }, [text, base64]);
  return (
    <>
      <pre className="raw">{dump.text}</pre>
      {dump.isCut && <p className="faint small in">These are the first 64 KiB. The Raw tab downloads everything.</p>}
    </>
  );
}
