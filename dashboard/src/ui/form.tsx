/** Forms: label above, hint below, and the server's error under the field that it names. */
import { useMutation } from '@tanstack/react-query';
import { createContext, useContext, useId, useRef, type ReactNode } from 'react';
import { ApiError } from '../api/client';
import { useEdits } from './KeepEdits';
import { Note } from './parts';

const Errors = createContext<Map<string, string>>(new Map());

type FormProps = {
  onSubmit: (values: FormData) => Promise<unknown>;
  onDone?: () => void;
  children: ReactNode;
  footer: (isBusy: boolean) => ReactNode;
  className?: string;
  id?: string;
};

/** Submits its fields. If the server refuses them, it keeps the input and shows each error under its field. */
export function Form({ onSubmit, onDone, children, footer, className = '', id }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const edits = useEdits();
  const mutation = useMutation({
    mutationFn: onSubmit,
    onSuccess: () => {
      edits.clean();
      onDone?.();
    },
    onError: (error) => {
      const field = error instanceof ApiError ? error.details[0]?.field : undefined;
      // Fields have the API's names. An error inside a list belongs to the list's field.
      setTimeout(() => {
        const all = [...(form.current?.querySelectorAll<HTMLElement>('[name]') ?? [])];
        const wrong = all.find((one) => field !== undefined && belongs(field, one.getAttribute('name') ?? ''));
        wrong?.focus();
      });
    },
  });
  const errors = new Map<string, string>();
  if (mutation.error instanceof ApiError) {
    for (const { field, message } of mutation.error.details) {
      errors.set(field, errors.has(field) ? `${errors.get(field)} ${message}` : sentence(field, message));
    }
  }
  return (
    <Errors.Provider value={errors}>
      <form
        ref={form}
        id={id}
        className={`form ${className}`}
        noValidate
        onInput={edits.touch}
        onChange={edits.touch}
        onSubmit={(event) => {
          event.preventDefault();
          if (!mutation.isPending) mutation.mutate(new FormData(event.currentTarget as HTMLFormElement));
        }}
      >
        {children}
        <FormError error={mutation.error} names={() => fieldNames(form.current)} />
        {footer(mutation.isPending)}
      </form>
    </Errors.Provider>
  );
}

function fieldNames(form: HTMLFormElement | null): string[] {
  return [...(form?.querySelectorAll('[name]') ?? [])].map((one) => one.getAttribute('name') ?? '');
}

function belongs(field: string, name: string): boolean {
  return field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
}

/** The API's messages start with the field's name. Under the field, the rest reads better as a sentence. */
function sentence(field: string, message: string): string {
  const short = field.split('.').at(-1) ?? field;
  const text = message.startsWith(`${field} `) ? message.slice(field.length + 1) : message.startsWith(`${short} `) ? message.slice(short.length + 1) : message;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Shows the errors that no field of the form shows: those of other fields, and failures of the call. */
function FormError({ error, names }: { error: Error | null; names: () => string[] }) {
  if (error === null) return null;
  const hidden = error instanceof ApiError ? error.details.filter((one) => !names().some((name) => belongs(one.field, name))) : [];
  if (error instanceof ApiError && error.details.length > 0 && hidden.length === 0) return null;
  return <ErrorNote error={error} details={hidden} />;
}

/** A note about a failed call: what failed, and what to do. */
export function ErrorNote({ error, details = [] }: { error: Error; details?: { field: string; message: string }[] }) {
  return (
    <div role="alert">
      <Note icon="unverified" tone="failed">
        {error instanceof ApiError && error.status === 403 && <b>Your role cannot do this. </b>}
        {details.length > 0 ? details.map((one) => <p key={one.field}><code>{one.field}</code> {one.message}</p>) : error.message}
        {error instanceof ApiError && error.retryAfterSeconds !== null && error.status === 429 && ` Try again in ${error.retryAfterSeconds} s.`}
        {error instanceof ApiError && error.status >= 500 && error.requestId !== null && ` Request ${error.requestId}.`}
      </Note>
    </div>
  );
}

function useFieldError(name: string): string | undefined {
  const errors = useContext(Errors);
  for (const [field, message] of errors) {
    if (belongs(field, name)) return message;
  }
  return undefined;
}

type FieldProps = {
  name: string;
  label: string;
  hint?: ReactNode;
  value?: string | number;
  type?: 'text' | 'email' | 'password' | 'number' | 'url' | 'color' | 'datetime-local';
  placeholder?: string;
  mono?: boolean;
  rows?: number;
  autoComplete?: string;
  min?: number;
  max?: number;
  unit?: string;
  options?: { value: string; label: string }[];
  onChange?: (value: string) => void;
  autoFocus?: boolean;
  error?: string;
  disabled?: boolean;
};

export function Field({ name, label, hint, value, type = 'text', mono, rows, unit, options, onChange, error: ownError, ...rest }: FieldProps) {
  const id = useId();
  const serverError = useFieldError(name);
  const error = ownError ?? serverError;
  const described = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean).join(' ');
  const shared = {
    id,
    name,
    className: `field ${mono ? 'mono' : ''} ${error !== undefined ? 'bad' : ''}`,
    'aria-invalid': error !== undefined,
    'aria-describedby': described === '' ? undefined : described,
    ...rest,
  };
  const notify = (event: { currentTarget: unknown }) => onChange?.((event.currentTarget as HTMLInputElement).value);
  return (
    <div className="fld">
      <label htmlFor={id}>{label}</label>
      {options !== undefined ? (
        <select {...shared} defaultValue={value} onChange={notify}>
          {options.map((one) => (
            <option key={one.value} value={one.value} selected={one.value === value}>
              {one.label}
            </option>
          ))}
        </select>
      ) : rows !== undefined ? (
        <textarea {...shared} rows={rows} spellcheck={false} defaultValue={value} onInput={notify} />
      ) : (
        <span className="fld-row">
          <input {...(shared as object)} type={type as 'text'} defaultValue={value} onInput={notify} spellcheck={false} />
          {unit !== undefined && <span className="muted small">{unit}</span>}
        </span>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="t-failed small">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="faint small">
          {hint}
        </p>
      )}
    </div>
  );
}

/** A field's trimmed text, or an empty one if the field is absent. */
export function text(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
