import { readFileSync } from 'node:fs';
import { render, screen } from '@solidjs/testing-library';
import userEvent from '@testing-library/user-event';
import { createRoot } from 'solid-js';
import { beforeAll, expect, test, vi } from 'vitest';
import { Problem } from '../api/problem';
import type { Question } from '../api/types';
import { loadPageWords, setLocale } from '../i18n';
import { Answer } from './Answer';
import { controlOf, pivotOf, valueOf, type Misfit } from './control';
import { formOf, humane, type Field } from './schema';

/** The schemas that the engine really asks with. */
const schema = (name: string): Record<string, unknown> => JSON.parse(readFileSync(`../docs/schemas/${name}.json`, 'utf8'));

/** A form in a line: `verdict:choice! issues:[…]`; `!` is required. */
function outline(field: Field): string {
  const mark = field.isRequired ? '!' : '';
  if (field.kind === 'group') return `{${field.fields.map((inner) => `${inner.name}:${outline(inner)}`).join(' ')}}${mark}`;
  if (field.kind === 'list') return `[${outline(field.item)}]${mark}`;
  return field.kind + mark;
}

test.each([
  ['reviewer', '{verdict:choice! issues:[{message:text! code:text field:text severity:choice}] summary:text}!'],
  ['creator', '{candidate:{content:text! format:choice}! done:flag!}!'],
  ['judge', '{dims:[{name:text! note:text score:number}]! must_fix:[text]! score:number}!'],
  ['designer', '{artifact:{content:text! mime:text}! notes:text}!'],
])('the form of a %s', (name, expected) => {
  expect(outline(formOf(schema(name)))).toBe(expected);
});

test.each([
  ['a reference', { $ref: '#/$defs/A', $defs: { A: { type: 'integer' } } }, 'number!'],
  ['a reference that leads nowhere', { $ref: '#/$defs/B' }, 'json!'],
  ['a reference to itself', { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } }, 'json!'],
  ['something or nothing', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'text!'],
  ['one constant a branch', { oneOf: [{ const: 'a', description: 'A' }, { const: 'b' }] }, 'choice!'],
  ['a real union', { anyOf: [{ type: 'string' }, { type: 'object', properties: {} }] }, 'json!'],
  ['any object', { type: 'object' }, 'json!'],
  ['no schema', 17, 'json!'],
])('%s', (_, schema, expected) => {
  expect(outline(formOf(schema))).toBe(expected);
});

test.each([
  ['must_fix', 'Must fix'],
  ['dimName', 'Dim name'],
  ['ok', 'Ok'],
])('%s reads as “%s”', (name, expected) => {
  expect(humane(name)).toBe(expected);
});

test('a schema that contains itself ends as JSON', () => {
  const tree = { $ref: '#/$defs/T', $defs: { T: { type: 'object', properties: { t: { $ref: '#/$defs/T' } } } } };
  expect(outline(formOf(tree))).toContain('json');
});

/** Fills a form with values and reads it back. */
function roundTrip(schema: unknown, value: unknown): { answer: unknown; misfits: string[] } {
  return createRoot((dispose) => {
    const misfits: Misfit[] = [];
    const answer = valueOf(controlOf(formOf(schema), value), misfits);
    dispose();
    return { answer, misfits: misfits.map(({ why, field }) => `${field.name} ${why}`) };
  });
}

test.each([
  ['what is optional and empty is left out', 'reviewer', { verdict: 'ok' }, { verdict: 'ok' }, []],
  ['lists that are required may be empty', 'judge', {}, { dims: [], must_fix: [] }, []],
  ['blank items are dropped', 'judge', { must_fix: ['a', ' ', 'b'] }, { dims: [], must_fix: ['a', 'b'] }, []],
  ['a decimal comma is understood', 'judge', { score: '7,5' }, { dims: [], must_fix: [], score: 7.5 }, []],
  ['defaults are filled in', 'creator', { candidate: { content: 'x' } }, { candidate: { content: 'x', format: 'markdown' }, done: false }, []],
  ['what is missing is named', 'reviewer', {}, {}, ['verdict missing']],
  ['inside lists, too', 'reviewer', { verdict: 'ok', issues: [{ code: 'c' }] }, { verdict: 'ok', issues: [{ code: 'c' }] }, ['message missing']],
])('%s', (_, name, value, answer, misfits) => {
  expect(roundTrip(schema(name), value)).toEqual({ answer, misfits });
});

test('a score that is no number is named', () => {
  expect(roundTrip(schema('judge'), { score: 'good' }).misfits).toEqual(['score number']);
});

test('only a form with one required choice turns on it', () => {
  createRoot((dispose) => {
    const pivot = (name: string): string | undefined => pivotOf(controlOf(formOf(schema(name))))?.field.name;
    expect([pivot('reviewer'), pivot('judge'), pivot('creator')]).toEqual(['verdict', undefined, undefined]);
    dispose();
  });
});

beforeAll(async () => {
  await setLocale('en');
  await loadPageWords();
});

const question = (form: Question['form']): Question => ({
  turn: 4,
  round: 2,
  role: 'reviewer',
  task: 'review',
  asked: 'Please review it.',
  sections: [{ title: 'The brief', text: 'Bread.' }, { title: 'The candidate', text: 'Judge this <b>draft</b>.' }],
  prompt: 'Please review it.',
  form,
  since: '2026-01-01T00:00:00.000Z',
});

const imageUrl = (digest: string): string => `/blobs/${digest}`;

test('an image that is attached to the brief is shown', () => {
  const asked = question(null);
  asked.sections.push({ title: 'The attachment `shot.png`', text: 'An image (image/png).', image: 'a1' });
  render(() => <Answer question={asked} imageUrl={imageUrl} send={async () => undefined} />);
  const image = screen.getByRole('img', { name: 'The attachment `shot.png`' });
  expect(image.getAttribute('src')).toBe('/blobs/a1');
  expect(screen.getAllByRole('img')).toHaveLength(1);
});

test('a verdict is sent by its button, with the findings', async () => {
  const send = vi.fn(async (_: unknown) => undefined);
  render(() => <Answer question={question(schema('reviewer'))} imageUrl={imageUrl} send={send} />);
  expect(screen.getByText('Please review it.')).toBeTruthy();
  expect(screen.getByRole('heading', { name: 'The candidate' })).toBeTruthy();
  expect(screen.getByText('Judge this <b>draft</b>.')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: /Add to “Issues”/ }));
  await userEvent.type(screen.getByLabelText('Message'), 'Too long');
  await userEvent.selectOptions(screen.getByLabelText(/Severity/), 'error');
  await userEvent.click(screen.getByRole('button', { name: 'Changes requested' }));
  expect(send).toHaveBeenCalledWith({ verdict: 'changes_requested', issues: [{ message: 'Too long', severity: 'error' }] });
});

test('an answer that does not fit stays as it was typed', async () => {
  const send = vi.fn(async () => Promise.reject(new Problem(422, 'misfit', 'score is above 10', 'Use 0 to 10.')));
  render(() => <Answer question={question(schema('judge'))} imageUrl={imageUrl} send={send} />);
  await userEvent.type(screen.getByLabelText(/Score/), '11');
  await userEvent.click(screen.getByRole('button', { name: 'Send answer' }));
  expect(screen.getByRole('alert').textContent).toMatch(/score is above 10.*Use 0 to 10/);
  expect(screen.getByLabelText(/Score/)).toHaveProperty('value', '11');
});

test('the text starts as what the form holds, and is sent as it stands', async () => {
  const send = vi.fn(async (_: unknown) => undefined);
  render(() => <Answer question={question(schema('judge'))} imageUrl={imageUrl} send={send} />);
  await userEvent.type(screen.getByLabelText(/Score/), '8');
  await userEvent.click(screen.getByRole('button', { name: 'Text' }));
  const box = screen.getByLabelText(/Your answer/);
  expect(box).toHaveProperty('value', JSON.stringify({ dims: [], must_fix: [], score: 8 }, null, 2));
  await userEvent.clear(box);
  await userEvent.type(box, 'I say: 8');
  await userEvent.click(screen.getByRole('button', { name: 'Send answer' }));
  expect(send).toHaveBeenCalledWith('I say: 8');
});

test('without a form there is only text', async () => {
  render(() => <Answer question={question(null)} imageUrl={imageUrl} send={async () => undefined} />);
  expect(screen.queryByRole('button', { name: 'Form' })).toBeNull();
  expect(screen.getByLabelText('Your answer')).toBeTruthy();
});
