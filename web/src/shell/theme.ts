import { createSignal } from 'solid-js';
import { store, stored } from './stored';

export const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const asTheme = (text: string | null): Theme => THEMES.find((theme) => theme === text) ?? 'auto';

const [theme, setSignal] = createSignal<Theme>('auto');
export { theme };

/** The system decides by default; the style sheet reads `data-theme` when a person does. */
function show(theme: Theme): void {
  setSignal(theme);
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function setTheme(text: string): void {
  show(asTheme(text));
  store('theme', theme());
}

export const restoreTheme = (): void => show(asTheme(stored('theme')));
