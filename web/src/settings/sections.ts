import type { Setting } from '../api/types';

interface Section {
  readonly name: string;
  readonly values: readonly Setting[];
}

/** Settings by the table of the file they stand in, in the order they came, narrowed to what is looked for. */
export function sections(settings: readonly Setting[], filter: string): Section[] {
  const wanted = filter.trim().toLowerCase();
  const found = new Map<string, Setting[]>();
  for (const setting of settings) {
    if (!`${setting.key} ${setting.about}`.toLowerCase().includes(wanted)) continue;
    const at = setting.key.lastIndexOf('.');
    const name = at < 0 ? setting.key : setting.key.slice(0, at);
    const section = found.get(name);
    if (section) section.push(setting);
    else found.set(name, [setting]);
  }
  return [...found].map(([name, values]) => ({ name, values }));
}

/** A value as it is written in a field. */
export const written = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);

/** What was typed, as the kind of value it has to be; `undefined` when it is not one. */
export function readAs(kind: Setting['kind'], text: string): unknown {
  if (kind !== 'number') return text;
  const value = Number(text.trim().replace(',', '.'));
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value;
}
