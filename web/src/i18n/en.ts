// The words every visitor needs: the shell's and the stage's. English is the source: the other
// locales have exactly these keys (a type error otherwise). The words of the pages that are loaded
// on demand are in `pages/`, so that a running stage does not pay for them.
//
// `{name}` is replaced; `{name:# round|# rounds}` is chosen by the plural rules of the locale.
export const words = {
  'app.title': 'Tribunal',
  'app.skip': 'Skip to content',
  'app.loading': 'Loading…',
  'app.close': 'Close',

  'nav.label': 'Main',
  'nav.runs': 'Runs',
  'nav.settings': 'Settings',
  'nav.help': 'Shortcuts',

  'offline.title': 'Server offline',
  'problem.title': 'Failed:',

  // loops: made by `cargo xtask codegen`
  'loop.review': 'Review',
  'loop.theater': 'Theater',
  'loop.joust': 'Joust',
  'loop.desk': 'Desk',
  'loop.judge': 'Judge',
  // loops: end

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

  'stage.empty': 'Not started',
  'stage.paused': 'Stopped',
  'stage.opening': 'Opening',
  'stage.round': 'Round {n}',
  'stage.iteration': 'Iteration {n}',
  'stage.underWay': 'Running',
  'stage.unfinished': 'Not finished',
  'stage.goesOn': 'Continues',
  'stage.ships': 'Ships',
  'stage.cost': 'Cost',
  'stage.tokens': 'Tokens',
  'stage.elapsed': 'Time',
  'stage.of': 'of {limit}',
  'stage.score': 'Score',
  'stage.ofStories': 'of {n:# story|# stories} verified',
  'stage.shipsAt': 'Ships at {threshold}',
  'stage.mustFixesOpen': '{n:must-fix|must-fixes} open',
  'stage.mustFixes': '{n:# must-fix|# must-fixes} open',
  'stage.speaks': 'Speaking',
  'stage.waits': 'Waiting',
  'stage.severity.must_fix': 'Must fix',
  'stage.emptyText': 'Nothing yet.',
  'stage.queuedText': 'Other runs come first.',
  'stage.collapse': 'Collapse',
} as const;
