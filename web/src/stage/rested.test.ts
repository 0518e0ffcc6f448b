import { createRoot, createSignal } from 'solid-js';
import { expect, test, vi } from 'vitest';
import { rested } from './rested';

test('one change is shown at once, many are shown when they rest', () => {
  vi.useFakeTimers();
  const [value, setValue] = createSignal(0);
  const [shown, dispose] = createRoot((dispose) => [rested(value, 100), dispose]);
  expect(shown()).toBe(0);
  setValue(1);
  expect(shown()).toBe(1);
  for (let step = 2; step < 9; step += 1) {
    vi.advanceTimersByTime(50);
    setValue(step);
    expect(shown(), `step ${step}`).toBe(1);
  }
  vi.advanceTimersByTime(100);
  expect(shown()).toBe(8);
  vi.advanceTimersByTime(100);
  setValue(9);
  expect(shown()).toBe(9);
  setValue(10);
  dispose();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
