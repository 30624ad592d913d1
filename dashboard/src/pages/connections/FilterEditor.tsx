/** The rules of a filter, as a form or as JSON. In the form, each rule has its result for the sample beside it. */
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { isGroup, OPERATORS, parseRules, rulesToJson, textToValue, valueToText, type Group, type Rule, type RuleOperator, type Rules } from '../../lib/rules';
import { Icon } from '../../ui/icons';
import { Button, Note, Segments } from '../../ui/parts';
import { EMPTY_FILTER, JsonEditor } from './ConnectionPage';
import { usePreview, type RuleResult } from './Sample';

type Props = { connection: Schemas['Connection']; text: string; transformation: string; onChange: (text: string) => void };

export function FilterEditor({ connection, text, transformation, onChange }: Props) {
  const [isJson, setJson] = useState(false);
  const preview = usePreview(connection, text, transformation);
  const rules = text.trim() === '' ? { operator: 'and' as const, rules: [] } : parseRules(text);
  const mode = isJson || rules === null ? 'json' : 'form';
  const change = (next: Rules) => onChange(next.rules.length === 0 ? '' : rulesToJson(next));
  return (
    <>
      <div className="row">
        {rules !== null && mode === 'form' ? (
          <>
            <span className="strong">Send when</span>
            <Segments label="How the rules combine" value={rules.operator} options={[{ value: 'and', label: 'all' }, { value: 'or', label: 'any' }]} onChange={(operator) => change({ ...rules, operator })} />
            <span className="muted">of these match</span>
          </>
        ) : (
          <span className="muted">{rules === null ? 'This filter can only be shown as JSON.' : ''}</span>
        )}
        <span className="end">
          <Segments label="Editor" value={mode} options={[{ value: 'form', label: 'Form' }, { value: 'json', label: 'JSON' }]} onChange={(to) => setJson(to === 'json')} />
        </span>
      </div>
      {mode === 'json' ? (
        <JsonEditor label="Filter" text={text} onChange={onChange} empty={<Button onClick={() => onChange(EMPTY_FILTER)}>Start with an empty filter</Button>} />
      ) : (
        rules !== null && <RulesForm rules={rules} results={preview.data?.results ?? []} onChange={change} />
      )}
      <Note icon="filtered">
        A missing path passes <b>ne</b> and “exists false”, and fails everything else. Numbers compare by value, never with strings. Paths start with <code>body.</code> or <code>headers.</code>
      </Note>
    </>
  );
}

function RulesForm({ rules, results, onChange }: { rules: Rules; results: (RuleResult | undefined)[]; onChange: (rules: Rules) => void }) {
  const set = (i: number, rule: Rule | Group) => onChange({ ...rules, rules: rules.rules.map((one, j) => (j === i ? rule : one)) });
  const remove = (i: number) => onChange({ ...rules, rules: rules.rules.filter((_, j) => j !== i) });
  return (
    <div className="rules">
      {rules.rules.length === 0 && <p className="muted">No rules: every event passes.</p>}
      {rules.rules.map((rule, i) =>
        isGroup(rule) ? (
          <GroupForm key={i} group={rule} result={results[i]} onChange={(next) => (next.rules.length === 0 ? remove(i) : set(i, next))} />
        ) : (
          <RuleForm key={i} rule={rule} result={results[i]} onChange={(next) => set(i, next)} onRemove={() => remove(i)} />
        ),
      )}
      <div className="row">
        <Button kind="quiet" icon="plus" onClick={() => onChange({ ...rules, rules: [...rules.rules, NEW_RULE] })}>
          Rule
        </Button>
        <Button kind="quiet" icon="plus" onClick={() => onChange({ ...rules, rules: [...rules.rules, { operator: rules.operator === 'and' ? 'or' : 'and', rules: [NEW_RULE] }] })}>
          Group
        </Button>
      </div>
    </div>
  );
}

const NEW_RULE: Rule = { path: 'body.type', op: 'eq', value: '""' };

function GroupForm({ group, result, onChange }: { group: Group; result: RuleResult | undefined; onChange: (group: Group) => void }) {
  return (
    <div className="stack-s">
      <div className="row">
        <Result result={result} />
        <span className="muted">and</span>
        <Segments label="How the group combines" value={group.operator} options={[{ value: 'and', label: 'all' }, { value: 'or', label: 'any' }]} onChange={(operator) => onChange({ ...group, operator })} />
        <span className="muted">of</span>
      </div>
      <div className="grp">
        {group.rules.map((rule, i) => (
          <RuleForm
            key={i}
            rule={rule}
            result={result?.rules?.[i]}
            onChange={(next) => onChange({ ...group, rules: group.rules.map((one, j) => (j === i ? next : one)) })}
            onRemove={() => onChange({ ...group, rules: group.rules.filter((_, j) => j !== i) })}
          />
        ))}
        <div>
          <Button kind="quiet" icon="plus" onClick={() => onChange({ ...group, rules: [...group.rules, NEW_RULE] })}>
            Rule
          </Button>
        </div>
      </div>
    </div>
  );
}

function Result({ result }: { result: RuleResult | undefined }) {
  if (result === undefined) return <Icon name="ring" className="faint" />;
  return (
    <span role="img" aria-label={result.passes ? 'matches' : 'does not match'}>
      <Icon name={result.passes ? 'delivered' : 'filtered'} className={result.passes ? 'is-delivered' : 'is-filtered'} />
    </span>
  );
}

function RuleForm({ rule, result, onChange, onRemove }: { rule: Rule; result: RuleResult | undefined; onChange: (rule: Rule) => void; onRemove: () => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? valueToText(rule.op, rule.value);
  const setOperator = (op: RuleOperator) => onChange({ ...rule, op, value: textToValue(op, valueToText(rule.op, rule.value)) });
  return (
    <div>
      <div className="rule">
        <Result result={result} />
        <input className="field mono" aria-label="Path" value={rule.path} spellcheck={false} onInput={(event) => onChange({ ...rule, path: event.currentTarget.value })} />
        <select className="field op" aria-label="Operator" value={rule.op} onChange={(event) => setOperator(event.currentTarget.value as RuleOperator)}>
          {OPERATORS.map((op) => (
            <option key={op} value={op} selected={op === rule.op}>
              {op}
            </option>
          ))}
        </select>
        <input
          className="field mono"
          aria-label="Value"
          value={shown}
          spellcheck={false}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            onChange({ ...rule, value: textToValue(rule.op, event.currentTarget.value) });
          }}
          onBlur={() => setTyped(null)}
        />
        <Button kind="quiet" icon="x" label={`Remove the rule on ${rule.path}`} onClick={onRemove} />
      </div>
      {result !== undefined && (
        <p className="was small">
          {result.passes ? '' : 'no match, '}
          {result.actual === undefined ? 'the path is missing' : <>was <code>{result.actual}</code></>}
        </p>
      )}
    </div>
  );
}
