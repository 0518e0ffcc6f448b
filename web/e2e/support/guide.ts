import { join } from 'node:path';

export const GUIDE_FOLDER = join(import.meta.dirname, '../../../docs/images/stage');

/** The pictures of `docs/stage.md`: a name that a test looks at, a width, a theme. */
export const GUIDE: readonly string[] = [
  'runs-1280-light',
  'running-1280-light',
  'running-375-dark',
  'shipped-1280-dark',
  'evidence-1280-light',
  'interrupt-1280-light',
  'waiting-1280-light',
  'diff-1280-light',
  'settings-1280-light',
  'help-375-light',
  'reconnecting-375-light',
  'joust-1280-dark',
  'desk-1280-light',
];
