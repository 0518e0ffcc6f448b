// The words every visitor needs: the shell's and the stage's. English is the source: the other
// locales have exactly these keys (a type error otherwise). The words of the pages that are loaded
// on demand are in `pages/`, so that a running stage does not pay for them.
//
// `{name}` is replaced; `{name:# round|# rounds}` is chosen by the plural rules of the locale.
export const en = {
  'app.title': 'Tribunal',
  'app.skip': 'Skip to the content',
  'app.loading': 'Loading…',
  'app.retry': 'Try again',
  'app.close': 'Close',
  'app.cancel': 'Cancel',

  'nav.label': 'Main',
  'nav.runs': 'Runs',
  'nav.settings': 'Settings',
  'nav.help': 'Keyboard shortcuts',

  'theme.label': 'Appearance',
  'theme.auto': 'As the system',
  'theme.light': 'Light',
  'theme.dark': 'Dark',
  'locale.label': 'Language',

  'locked.title': 'This browser is not signed in',
  'locked.text': 'Open the address that {command} printed when it started: it carries the token this page needs.',
  'offline.title': 'The server does not answer',
  'offline.text': 'The page tries again by itself. Is {command} still running?',
  'missing.title': 'There is no such page',
  'missing.run': 'There is no such run',
  'missing.back': 'Back to the runs',
  'problem.title': 'That did not work',

  'loop.review': 'Review',
  'loop.joust': 'Joust',
  'loop.desk': 'Desk',
  'loop.theater': 'Theater',

  'status.running': 'Running',
  'status.queued': 'Queued',
  'status.waiting': 'Waiting for {who}',
  'status.shipped': 'Shipped',
  'status.converged': 'Converged',
  'status.below_threshold': 'Below threshold',
  'status.needs_human': 'Needs a person',
  'status.blocked': 'Blocked',
  'status.timed_out': 'Timed out',
  'status.over_budget': 'Over budget',
  'status.interrupted': 'Interrupted',
  'status.degraded': 'Degraded',
  'status.failed': 'Failed',
  'status.legacy': 'Single pass',
} as const;
