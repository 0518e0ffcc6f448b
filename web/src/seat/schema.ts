// What of a JSON Schema can be drawn as a form. Pure; the schema comes from the server and may be anything.

interface Base {
  readonly name: string;
  readonly about: string | null;
  readonly isRequired: boolean;
  /** Whether `null` is an answer: then an empty required field is one. */
  readonly isNullable: boolean;
  readonly initial: unknown;
}

interface Option {
  readonly value: string | number;
  readonly about: string | null;
}

export type Field =
  | (Base & { readonly kind: 'text' })
  | (Base & { readonly kind: 'number'; readonly isWhole: boolean; readonly min: number | null; readonly max: number | null })
  | (Base & { readonly kind: 'flag' })
  | (Base & { readonly kind: 'choice'; readonly options: readonly Option[] })
  | (Base & { readonly kind: 'list'; readonly item: Field })
  | (Base & { readonly kind: 'group'; readonly fields: readonly Field[] })
  /** Something we cannot draw: the person writes its JSON. */
  | (Base & { readonly kind: 'json' });

type Schema = Readonly<Record<string, unknown>>;

/** A schema may refer to itself; deeper than this it is written as JSON. */
const MAX_DEPTH = 6;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export function formOf(schema: unknown): Field {
  const root = isSchema(schema) ? schema : {};
  return fieldOf('', root, { root, isRequired: true, depth: 0 });
}

interface Place {
  readonly root: Schema;
  readonly isRequired: boolean;
  readonly depth: number;
}

function fieldOf(name: string, given: Schema, place: Place): Field {
  const { schema, isNullable } = plain(given, place.root);
  const base: Base = {
    name,
    about: textOf(given.description) ?? textOf(schema.description),
    isRequired: place.isRequired,
    isNullable,
    initial: given.default ?? schema.default,
  };
  const inner = (name: string, value: unknown, isRequired: boolean): Field =>
    fieldOf(name, isSchema(value) ? value : {}, { root: place.root, isRequired, depth: place.depth + 1 });

  const options = optionsOf(schema);
  if (options.length > 0) return { ...base, kind: 'choice', options };
  if (place.depth > MAX_DEPTH) return { ...base, kind: 'json' };
  switch (typeOf(schema)) {
    case 'string':
      return { ...base, kind: 'text' };
    case 'boolean':
      return { ...base, kind: 'flag' };
    case 'integer':
    case 'number': {
      const { minimum, maximum } = schema;
      return { ...base, kind: 'number', isWhole: schema.type === 'integer', min: numberOf(minimum), max: numberOf(maximum) };
    }
    case 'array':
      // An item that was added and left blank is dropped, so none of them is required.
      return { ...base, kind: 'list', item: inner(name, schema.items, false) };
    case 'object': {
      if (!isSchema(schema.properties)) return { ...base, kind: 'json' };
      const required = listOf(schema.required);
      const fields = Object.entries(schema.properties).map(([name, value]) => inner(name, value, required.includes(name)));
      // What has to be said comes first; the schema's own order is the alphabet's.
      return { ...base, kind: 'group', fields: fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired)) };
    }
    default:
      return { ...base, kind: 'json' };
  }
}

/** Follows `$ref` and takes `null` out of unions: what is left is what the person fills in. */
function plain(given: Schema, root: Schema): { schema: Schema; isNullable: boolean } {
  let schema = given;
  let isNullable = listOf(given.type).includes('null') || given.nullable === true;
  for (let hops = 0; hops < MAX_DEPTH; hops++) {
    const branches = listOf(schema.anyOf ?? schema.oneOf).filter(isSchema);
    const real = branches.filter((branch) => branch.type !== 'null');
    const only = real.length === 1 ? real[0] : undefined;
    const all = listOf(schema.allOf);
    const target = textOf(schema.$ref);
    if (target !== null) schema = refer(target, root);
    else if (only) {
      isNullable ||= real.length < branches.length;
      schema = only;
    } else if (all.length === 1 && isSchema(all[0])) schema = all[0];
    else break;
  }
  return { schema, isNullable };
}

/** `#/$defs/Name`; nothing outside the document is followed. */
function refer(target: string, root: Schema): Schema {
  let at: unknown = root;
  for (const part of target.split('/').slice(1)) at = isSchema(at) ? at[part] : undefined;
  return target.startsWith('#/') && isSchema(at) ? at : {};
}

const typeOf = (schema: Schema): unknown =>
  Array.isArray(schema.type) ? schema.type.find((type) => type !== 'null') : (schema.type ?? (schema.properties ? 'object' : undefined));

/** An enumeration, written as `enum`, as `const` or as one `const` a branch. */
function optionsOf(schema: Schema): Option[] {
  const isValue = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
  const values = listOf(schema.enum ?? (schema.const === undefined ? [] : [schema.const])).filter(isValue);
  if (values.length > 0) return values.map((value) => ({ value, about: null }));
  const branches = listOf(schema.oneOf ?? schema.anyOf).filter(isSchema);
  const found = branches.flatMap((branch) => optionsOf(branch).map(({ value }) => ({ value, about: textOf(branch.description) })));
  return branches.every((branch) => optionsOf(branch).length > 0) ? found : [];
}

/** `must_fix` → “Must fix”: names are written for programs. */
export function humane(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ').trim().toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
