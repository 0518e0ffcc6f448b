// The trial that most tests watch: a panel works on the page of a bakery, and ships it in its second round.
import type { Project } from './project';

export const JUDGES = ['critic', 'brand', 'a11y', 'copy'] as const;
type Judge = (typeof JUDGES)[number];
const CAST = ['designer', ...JUDGES] as const;

interface Opinion {
  readonly score: number;
  readonly dims: readonly (readonly [name: string, score: number, note: string])[];
  readonly mustFix: readonly string[];
}

const ROUNDS: readonly Readonly<Record<Judge, Opinion>>[] = [
  {
    critic: {
      score: 6.4,
      dims: [
        ['hierarchy', 7, 'The price is seen before the bread.'],
        ['contrast', 4, 'The button is 2.0:1 on its ground.'],
        ['rhythm', 7.5, 'Even, with one gap too many above the times.'],
      ],
      mustFix: ['Raise the contrast of the button to at least 4.5:1.'],
    },
    brand: {
      score: 7.2,
      dims: [['colour', 6, 'The orange is not the oven’s.'], ['type', 8, 'Set in the house face.']],
      mustFix: ['Use the colour of the oven for the button.'],
    },
    a11y: {
      score: 6.1,
      dims: [['focus', 5, 'No ring around the button.'], ['headings', 7, 'In order.']],
      mustFix: ['Show where the keyboard is.'],
    },
    copy: { score: 7.4, dims: [['verbs', 7, '“Order” says what happens.'], ['length', 8, 'Short.']], mustFix: [] },
  },
  {
    critic: {
      score: 8.8,
      dims: [
        ['hierarchy', 9, 'Bread first, then when to come.'],
        ['contrast', 9, 'The button is 9.8:1.'],
        ['rhythm', 8.5, 'One measure throughout.'],
      ],
      mustFix: [],
    },
    brand: { score: 8.6, dims: [['colour', 8.5, 'The oven’s red.'], ['type', 9, 'The house face.']], mustFix: [] },
    a11y: { score: 9.1, dims: [['focus', 9, 'A ring of three pixels.'], ['headings', 9, 'In order.']], mustFix: [] },
    copy: { score: 8.4, dims: [['verbs', 8.5, '“Order for Saturday”.'], ['length', 8, 'Short.']], mustFix: [] },
  },
];

/** How the two rounds come out by the default weights. */
export const COMPOSITES = ['6.7', '8.74'] as const;

/** A page that shows what changed between the rounds. */
export function draft(round: number): string {
  const [ground, ink, verb] = round === 1 ? ['#f2a541', '#ffffff', 'Order'] : ['#7a1f2b', '#fffaf2', 'Order for Saturday'];
  return [
    '<!doctype html><html lang="en"><head><title>The Night Oven</title><style>',
    'body{margin:0;font:18px/1.5 Georgia,serif;background:#fffaf2;color:#2a211c}',
    'main{max-width:32rem;margin:auto;padding:3rem 1.5rem}h1{font-size:2.6rem;line-height:1.1;margin:0 0 1rem}',
    `a{display:inline-block;padding:.75rem 1.25rem;background:${ground};color:${ink};text-decoration:none}`,
    round === 1 ? '' : 'a:focus{outline:3px solid #2a211c}',
    '</style></head><body><main id="order"><h1>Bread that was flour last night</h1>',
    '<p>Rye and wheat, baked from two in the morning, on the counter at seven.</p>',
    `<p><a href="#order">${verb}</a></p>`,
    round === 1 ? '' : '<h2>When</h2><p>Tuesday to Saturday, from seven until it is gone.</p>',
    '</main></body></html>',
  ].join('\n');
}

const opinion = (round: number, judge: Judge): Opinion => {
  const found = ROUNDS[round - 1];
  if (!found) throw new Error(`no round ${round}`);
  return found[judge];
};

/** A theater in tribunal.toml; its seats are all played from the folder `play`, and its artifact is called like it. */
export function theater(project: Project, panel: 'single' | 'seats', play: string, settings = ''): void {
  const seats = panel === 'single' ? ['panel'] : CAST;
  project.write(
    'tribunal.toml',
    [
      '[run]\nloop = "theater"\nbrief = "A page for the bakery The Night Oven: one screen, one action."\nmax_retries = 0',
      `[theater]\npanel = "${panel}"\nartifact = "${play}"\n${settings}`,
      `[agents.actor]\nkind = "command"\ncommand = ["./actor.sh", "${play}"]`,
      ...seats.map((seat) => `[seats.${seat}]\nagent = "actor"`),
      '[limits]\nusd = 2.00\ngrace = "500ms"\nidle = "1h"\n',
    ].join('\n'),
  );
}

/** What separate seats say. Each waits for a cue of its own name, such as `critic.1`. */
export function seats(): Record<string, string> {
  const parts: Record<string, string> = {};
  for (const round of [1, 2]) {
    const page = { notes: 'As the brief asks.', artifact: { mime: 'text/html', content: draft(round) } };
    parts[`designer.${round}`] = `@wait designer.${round}\n${JSON.stringify({ ...page, usage: usage(4200, 900, 0.0214) })}`;
    for (const judge of JUDGES) {
      const { score, dims, mustFix } = opinion(round, judge);
      const verdict = { score, dims: dims.map(([name, score, note]) => ({ name, score, note })), must_fix: mustFix };
      parts[`${judge}.${round}`] = `@wait ${judge}.${round}\n${JSON.stringify({ ...verdict, usage: usage(2100, 240, 0.0061) })}`;
    }
  }
  return parts;
}

const usage = (input: number, output: number, usd: number): object => ({ input_tokens: input, output_tokens: output, usd });

/**
 * What one panel says, in the wire protocol. It waits before every panelist (`critic.1`), after every dimension of the
 * critic's (`critic.1.contrast`), before it ends a round (`end.1`) and before it ships (`ship`).
 */
export function stream(): string {
  const lines = ['<CRITIQUE_RUN version="1" maxRounds="3" threshold="8.0" scale="10">'];
  for (const round of [1, 2]) {
    lines.push(`@wait designer.${round}`, `<ROUND n="${round}">`);
    lines.push('<PANELIST role="designer"><NOTES>As the brief asks.</NOTES><ARTIFACT mime="text/html"><![CDATA[');
    lines.push(draft(round), ']]></ARTIFACT></PANELIST>');
    for (const judge of JUDGES) lines.push(...panelist(round, judge));
    lines.push(`@wait end.${round}`);
    lines.push(`<ROUND_END n="${round}" composite="${COMPOSITES[round - 1]}" decision="${round === 1 ? 'continue' : 'ship'}">`);
    lines.push('<REASON>As the judges say.</REASON></ROUND_END></ROUND>');
  }
  lines.push('@wait ship', `<SHIP round="2" composite="${COMPOSITES[1]}" status="shipped">`);
  lines.push('<SUMMARY>The button can be read, and the keyboard can be seen.</SUMMARY></SHIP></CRITIQUE_RUN>');
  return lines.join('\n');
}

function panelist(round: number, judge: Judge): string[] {
  const { score, dims, mustFix } = opinion(round, judge);
  const lines = [`@wait ${judge}.${round}`, `<PANELIST role="${judge}" score="${score}" must_fix="${mustFix.length}">`];
  for (const [name, score, note] of dims) {
    lines.push(`<DIM name="${name}" score="${score}">${note}</DIM>`);
    if (judge === 'critic') lines.push(`@wait ${judge}.${round}.${name}`);
  }
  return [...lines, ...mustFix.map((text) => `<MUST_FIX>${text}</MUST_FIX>`), '</PANELIST>'];
}

/** Everything that is said in a round; what is before it has to have been said. */
export function cueRound(project: Project, play: string, round: number): void {
  const dims = opinion(round, 'critic').dims.map(([name]) => `critic.${round}.${name}`);
  for (const name of [...CAST.map((role) => `${role}.${round}`), ...dims, `end.${round}`]) project.cue(play, name);
}
