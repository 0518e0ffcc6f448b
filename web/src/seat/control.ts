import { createSignal, type Accessor } from 'solid-js';
import type { Field } from './schema';

type Of<K extends Field['kind']> = Extract<Field, { kind: K }>;

/** A field that is being filled in. Numbers and choices are kept as typed, so that nothing is lost on the way. */
export type Control =
  | { readonly kind: 'typed'; readonly field: Of<'text' | 'number' | 'choice' | 'json'>; readonly text: Accessor<string>; type(text: string): void }
  | { readonly kind: 'flag'; readonly field: Of<'flag'>; readonly isOn: Accessor<boolean>; turn(isOn: boolean): void }
  | { readonly kind: 'group'; readonly field: Of<'group'>; readonly controls: readonly Control[] }
  | { readonly kind: 'list'; readonly field: Of<'list'>; readonly items: Accessor<readonly Control[]>; add(): void; remove(item: Control): void };

/** Why a field cannot be sent as it is. */
export interface Misfit {
  readonly why: 'missing' | 'number';
  readonly field: Field;
}

export function controlOf(field: Field, value: unknown = field.initial): Control {
  switch (field.kind) {
    case 'flag': {
      const [isOn, turn] = createSignal(value === true);
      return { kind: 'flag', field, isOn, turn };
    }
    case 'group': {
      const given = typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : new Map<string, unknown>();
      return { kind: 'group', field, controls: field.fields.map((inner) => controlOf(inner, given.get(inner.name))) };
    }
    case 'list': {
      const first = Array.isArray(value) ? value.map((item) => controlOf(field.item, item)) : [];
      const [items, setItems] = createSignal<readonly Control[]>(first);
      const add = (): void => void setItems([...items(), controlOf(field.item)]);
      const remove = (item: Control): void => void setItems(items().filter((other) => other !== item));
      return { kind: 'list', field, items, add, remove };
    }
    default: {
      const [text, type] = createSignal(written(value));
      return { kind: 'typed', field, text, type };
    }
  }
}

const written = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** The answer as it stands; `undefined` is a field that is left out. What cannot be sent is added to `misfits`. */
export function valueOf(control: Control, misfits: Misfit[]): unknown {
  const { field } = control;
  switch (control.kind) {
    case 'flag':
      return control.isOn() || field.isRequired ? control.isOn() : undefined;
    case 'group':
      return group(control, misfits);
    case 'list': {
      const items = control.items().map((item) => valueOf(item, misfits)).filter((item) => item !== undefined && item !== null);
      return items.length > 0 || field.isRequired ? items : undefined;
    }
    case 'typed':
      return typed(control.field, control.text(), misfits);
  }
}

function group(control: Extract<Control, { kind: 'group' }>, misfits: Misfit[]): unknown {
  const inner: Misfit[] = [];
  const entries = control.controls.map((one) => [one.field.name, valueOf(one, inner)] as const);
  const given = entries.filter(([, value]) => value !== undefined);
  // A part nobody has touched is left out as a whole, so what is missing in it is not missed.
  if (!control.field.isRequired && given.every(([, value]) => value === null)) return undefined;
  misfits.push(...inner);
  return Object.fromEntries(given);
}

function typed(field: Of<'text' | 'number' | 'choice' | 'json'>, text: string, misfits: Misfit[]): unknown {
  if (text.trim() === '') {
    if (field.isRequired && !field.isNullable) misfits.push({ why: 'missing', field });
    return field.isRequired && field.isNullable ? null : undefined;
  }
  switch (field.kind) {
    case 'text':
      return text;
    case 'choice':
      return field.options.find(({ value }) => String(value) === text)?.value;
    case 'number': {
      // A comma is how half of the world writes a decimal point.
      const value = Number(text.trim().replace(',', '.'));
      if (!Number.isFinite(value)) misfits.push({ why: 'number', field });
      return value;
    }
    case 'json':
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
  }
}

/** The one choice a form turns on, such as a verdict: its options become the buttons that send the answer. */
export function pivotOf(form: Control): Extract<Control, { kind: 'typed' }> | undefined {
  if (form.kind !== 'group') return undefined;
  const choices = form.controls.filter((one) => one.kind === 'typed').filter(({ field }) => field.kind === 'choice' && field.isRequired);
  return choices.length === 1 ? choices[0] : undefined;
}
