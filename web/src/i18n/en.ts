// The words every visitor needs: the shell's and the stage's. English is the source: the other
// locales have exactly these keys (a type error otherwise). The words of the pages that are loaded
// on demand are in `pages/`, so that a running stage does not pay for them.
//
// `{name}` is replaced; `{name:# round|# rounds}` is chosen by the plural rules of the locale.
export const en = {
  'app.title': 'Tribunal',
} as const;
