/** The steps of a transformation in words, below the filter that decides whether they run. */
import { Link } from 'wouter';
import type { Schemas } from '../../api/client';
import { parseJson, sourceOf } from '../../lib/json';
import { visible } from '../../lib/text';
import { Facts, Panel } from '../../ui/parts';

type Step = [what: string, how: string];

/** @param text JSON that may not be a transformation yet; its numbers are shown as written */
export function stepsInWords(text: string): Step[] {
  if (parseJson(text) === null) return [];
  const merged = sourceOf(text, 'merge_body_fields');
  try {
    const { rename_headers = [], remove_headers = [], set_headers = [] } = JSON.parse(text) as Partial<Schemas['Transformation']>;
    return [
      ...rename_headers.map(({ from, to }): Step => ['Rename header', `${from} to ${to}`]),
      ...remove_headers.map((name): Step => ['Remove header', String(name)]),
      ...set_headers.map(({ name, value }): Step => ['Set header', `${name} = ${value}`]),
      ...(merged === null || merged === '{}' ? [] : [['Merge into body', merged] as Step]),
    ];
  } catch {
    return []; // the server says what is wrong with it
  }
}

export function ThenTransform({ text, editHref }: { text: string; editHref: string }) {
  const steps = stepsInWords(text);
  if (steps.length === 0) return null;
  return (
    <Panel
      title="Then transform"
      end={
        <Link className="link" href={editHref}>
          Edit
        </Link>
      }
    >
      <Facts facts={steps.map(([what, how]) => [what, <code>{visible(how)}</code>])} />
    </Panel>
  );
}
