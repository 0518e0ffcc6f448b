// The shapes that say a tone without its colour.

import type { ShapeName, Tone } from './standing';

const PATHS: Readonly<Record<ShapeName, string>> = {
  dot: 'M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3z',
  ring: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2m0 2.4a3.6 3.6 0 1 1 0 7.2 3.6 3.6 0 0 1 0-7.2',
  check: 'M6.2 13 1.5 8.3l1.8-1.8 2.9 2.9 6.5-6.5 1.8 1.8z',
  cross: 'M8 6.2 12.2 2 14 3.8 9.8 8l4.2 4.2-1.8 1.8L8 9.8 3.8 14 2 12.2 6.2 8 2 3.8 3.8 2z',
  triangle: 'M8 2 15 14H1z',
  square: 'M3 3h10v10H3z',
  diamond: 'M8 1l7 7-7 7-7-7z',
};

/** Always beside a word that says the same. */
export function Mark(props: { readonly tone: Tone; readonly shape: ShapeName }) {
  return (
    <svg class={`mark ${props.tone}`} viewBox="0 0 16 16" aria-hidden="true">
      <path fill-rule="evenodd" d={PATHS[props.shape]} />
    </svg>
  );
}
