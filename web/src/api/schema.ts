// The API's types in the shape `openapi-typescript` gives them; `npm run types` replaces this file.

export interface components {
  schemas: {
    // What a watcher is told: cues, discriminated by `type`, each with its time and log entry.
    Frame:
      | components['schemas']['RunStarted']
      | components['schemas']['PanelistOpen']
      | components['schemas']['PanelistDim']
      | components['schemas']['PanelistMustFix']
      | components['schemas']['PanelistClose']
      | components['schemas']['RoundEnd']
      | components['schemas']['Ship']
      | components['schemas']['Degraded']
      | components['schemas']['Interrupted']
      | components['schemas']['Failed']
      | components['schemas']['ParserWarning']
      | components['schemas']['Scene']
      | components['schemas']['RoundOpened']
      | components['schemas']['TurnStarted']
      | components['schemas']['TurnEnded']
      | components['schemas']['Draft']
      | components['schemas']['Finding']
      | components['schemas']['Ruled']
      | components['schemas']['Receipts']
      | components['schemas']['Stories']
      | components['schemas']['RoundClosed']
      | components['schemas']['Person']
      | components['schemas']['Resumed']
      | components['schemas']['RunClosed'];
    FrameBase: { runId: string; time: string; seq: number };

    RunStarted: components['schemas']['FrameBase'] & {
      type: 'run_started';
      protocolVersion: number;
      cast: string[];
      maxRounds: number;
      threshold: number;
      scale: number;
    };
    PanelistOpen: components['schemas']['FrameBase'] & { type: 'panelist_open'; round: number; role: string };
    PanelistDim: components['schemas']['FrameBase'] & {
      type: 'panelist_dim';
      round: number;
      role: string;
      dimName: string;
      dimScore: number | null;
      dimNote: string;
    };
    PanelistMustFix: components['schemas']['FrameBase'] & {
      type: 'panelist_must_fix';
      round: number;
      role: string;
      text: string;
    };
    PanelistClose: components['schemas']['FrameBase'] & {
      type: 'panelist_close';
      round: number;
      role: string;
      score: number | null;
    };
    RoundEnd: components['schemas']['FrameBase'] & {
      type: 'round_end';
      round: number;
      composite: number;
      mustFix: number;
      decision: 'continue' | 'ship';
      reason: string;
    };
    Ship: components['schemas']['FrameBase'] & {
      type: 'ship';
      round: number;
      composite: number;
      status: string;
      artifactRef: { projectId: string; artifactId: string };
      summary: string;
    };
    Degraded: components['schemas']['FrameBase'] & { type: 'degraded'; reason: string; adapter: string };
    Interrupted: components['schemas']['FrameBase'] & {
      type: 'interrupted';
      bestRound: number | null;
      composite: number | null;
      recovery?: string;
    };
    Failed: components['schemas']['FrameBase'] & { type: 'failed'; cause: string };
    ParserWarning: components['schemas']['FrameBase'] & { type: 'parser_warning'; kind: string; position: number };

    Scene: components['schemas']['FrameBase'] & {
      type: 'scene';
      loop: components['schemas']['Loop'];
      subject: string;
      brief: string;
      seats: components['schemas']['Seat'][];
      maxRounds: number | null;
      limits: { usdMicros: number | null; tokens: number | null; wallMs: number | null };
      forkOf: string | null;
    };
    RoundOpened: components['schemas']['FrameBase'] & { type: 'round_opened'; round: number };
    TurnStarted: components['schemas']['FrameBase'] & {
      type: 'turn_started';
      turn: number;
      round: number;
      role: string;
      task: string;
      attempt: number;
      model: string | null;
      why: string | null;
      prompt: string;
    };
    TurnEnded: components['schemas']['FrameBase'] & {
      type: 'turn_ended';
      turn: number;
      round: number;
      role: string;
      task: string;
      said:
        | 'draft'
        | 'verdict'
        | 'mutation'
        | 'resolved'
        | 'surveyed'
        | 'worked'
        | 'checked'
        | 'inspected'
        | 'done'
        | 'heard'
        | 'nothing';
      summary: string | null;
      word: string | null;
      error: components['schemas']['TurnError'] | null;
      raw: string | null;
      inputTokens: number;
      outputTokens: number;
      cachedTokens: number;
      usdMicros: number | null;
      elapsedMs: number;
      copied: string | null;
      spentTokens: number;
      spentUsdMicros: number;
    };
    Draft: components['schemas']['FrameBase'] & {
      type: 'draft';
      round: number;
      role: string;
      turn: number;
      draft: string;
      content: string;
      format: components['schemas']['Format'];
    };
    Finding: components['schemas']['FrameBase'] & {
      type: 'finding';
      id: string;
      role: string;
      raised: number;
      round: number;
      severity: 'note' | 'should' | 'must_fix';
      text: string;
      code: string | null;
      target: string | null;
      state: 'open' | 'fixed' | 'reopened' | 'contested';
    };
    Ruled: components['schemas']['FrameBase'] & {
      type: 'ruled';
      turn: number;
      round: number;
      role: string;
      accepted: boolean;
      score: number | null;
      reasons: string[];
    };
    Receipts: components['schemas']['FrameBase'] & {
      type: 'receipts';
      round: number;
      tree: string;
      receipts: components['schemas']['Receipt'][];
    };
    Stories: components['schemas']['FrameBase'] & { type: 'stories'; stories: components['schemas']['Story'][] };
    RoundClosed: components['schemas']['FrameBase'] & {
      type: 'round_closed';
      round: number;
      outcome: string | null;
      reason: string | null;
      composite: number | null;
      mustFix: number | null;
    };
    Person: components['schemas']['FrameBase'] & {
      type: 'person';
      by: string;
      act: 'interrupted' | 'steered' | 'reanchored' | 'selected' | 'reopened';
      text: string;
    };
    Resumed: components['schemas']['FrameBase'] & { type: 'resumed' };
    RunClosed: components['schemas']['FrameBase'] & {
      type: 'run_closed';
      outcome: components['schemas']['Outcome'];
      status: string;
      reason: string;
      ship: components['schemas']['Shipped'] | null;
    };

    Loop: 'review' | 'joust' | 'desk' | 'theater';
    Format: 'markdown' | 'plain' | 'html';
    Seat: { seat: string; agent: string; model: string | null };
    TurnError: { kind: string; message: string; hint: string | null };
    Receipt: {
      check: string;
      purpose: string;
      line: string;
      exit: number | null;
      passed: boolean;
      failure: string | null;
      elapsedMs: number;
      output: string;
      tail: string;
      testsPassed: number | null;
      testsFailed: number | null;
      testsSkipped: number | null;
    };
    Story: { id: string; title: string; verifiedIn: number | null };
    Outcome:
      | 'shipped'
      | 'converged'
      | 'below_threshold'
      | 'needs_human'
      | 'blocked'
      | 'timed_out'
      | 'over_budget'
      | 'interrupted'
      | 'degraded'
      | 'failed'
      | 'legacy';
    Shipped: {
      round: number;
      composite: number | null;
      content: string;
      format: components['schemas']['Format'];
      summary: string | null;
    };

    // REST.
    Session: { project: { id: string; name: string; workspace: string }; version: string };
    Action: 'interrupt' | 'steer' | 'resume' | 'rerun' | 'reopen' | 'select' | 'answer';
    RunRow: {
      run: string;
      loop: components['schemas']['Loop'];
      subject: string;
      status: 'running' | components['schemas']['Outcome'];
      isDriven: boolean;
      isQueued: boolean;
      waitingFor: string[];
      reason: string | null;
      rounds: number;
      turns: number;
      tokens: number;
      usdMicros: number;
      opened: string;
      closed: string | null;
      composites: (number | null)[];
      threshold: number | null;
      scale: number | null;
      score: number | null;
      artifact: string | null;
      seq: number;
      actions: components['schemas']['Action'][];
    };
    RunPage: { runs: components['schemas']['RunRow'][]; next: string | null };
    Started: { runs: string[] };
    Accepted: { runId: string; accepted: boolean };
    DiffLine: { kind: 'same' | 'added' | 'removed'; text: string; from: number | null; to: number | null };
    Diff: { from: number; to: number; lines: components['schemas']['DiffLine'][] };
    Question: {
      turn: number;
      round: number;
      role: string;
      task: string;
      prompt: string;
      form: { [key: string]: unknown } | null;
      since: string;
    };
    Setting: {
      key: string;
      value: unknown;
      source: string;
      editable: boolean;
      kind: 'bool' | 'number' | 'text' | 'choice' | 'other';
      choices: string[];
      about: string;
    };
    Settings: { values: components['schemas']['Setting'][] };
    Problem: { error: { code: string; message: string; hint: string | null } };
  };
}
