/** The fields of one choice, such as a verification provider. A stored secret is never shown, so it must be entered again to save a change. */
import { Field, text } from './form';

export type ConfigField = {
  name: string;
  label: string;
  isSecret?: boolean;
  isOptional?: boolean;
  options?: string[];
  number?: boolean;
  hint?: string;
  initial?: string;
};

type Props = {
  /** The API's name for the object, such as `verification_config`. */
  within: string;
  fields: ConfigField[];
  /** The object as the API returns it, if it is of the same kind. */
  saved: Record<string, unknown> | undefined;
};

export function ConfigFields({ within, fields, saved }: Props) {
  return (
    <>
      {fields.map((field) => {
        const value = saved?.[field.name];
        const shown = field.isSecret || value === undefined ? (saved === undefined ? (field.initial ?? '') : '') : String(value);
        return (
          <Field
            key={`${within}.${field.name}`}
            name={`${within}.${field.name}`}
            label={field.isOptional ? `${field.label} (optional)` : field.label}
            type={field.isSecret ? 'password' : field.number ? 'number' : 'text'}
            value={shown}
            mono={!field.options}
            autoComplete={field.isSecret ? 'new-password' : 'off'}
            options={field.options?.map((one) => ({ value: one, label: one === '' ? '–' : one }))}
            placeholder={field.isSecret && value !== undefined ? 'Stored. Enter it again to save this part' : undefined}
            hint={field.hint}
          />
        );
      })}
    </>
  );
}

/** Returns the fields as the object that the API expects. Empty optional fields are left out. */
export function configOf(values: FormData, within: string, fields: ConfigField[]): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const field of fields) {
    const value = text(values, `${within}.${field.name}`);
    if (value === '' && (field.isOptional || field.options)) continue;
    config[field.name] = field.number ? Number(value) : value;
  }
  return config;
}
