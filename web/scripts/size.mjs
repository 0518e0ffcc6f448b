// Prints what the page weighs, gzipped, and fails when a running stage is over its budget.
// It builds in memory and walks the imports of the chunks, so a new chunk cannot slip past it.
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const BUDGET = 18 * 1024;
/** What has to arrive before a running stage is seen; each with everything it imports. */
const STAGE = ['src/main.tsx', 'src/stage/Stage.tsx', 'src/i18n/en.ts'];
/** What a stage fetches by itself once it is seen: replay, transcript, findings, the preview. */
const SECOND = ['src/stage/second.ts', 'src/i18n/pages/en.ts'];

const { output } = await build({ logLevel: 'error', build: { write: false } });
const files = new Map(output.map((file) => [file.fileName, file]));
const sizes = new Map(output.map((file) => [file.fileName, gzipSync(file.code ?? file.source, { level: 9 }).length]));
const chunks = output.filter((file) => file.type === 'chunk');

/** The files that these modules are in, with all they import and their style sheets. */
function needed(modules) {
  const found = new Set();
  const visit = (name) => {
    const file = files.get(name);
    if (!file || found.has(name)) return;
    found.add(name);
    for (const css of file.viteMetadata?.importedCss ?? []) found.add(css);
    file.imports?.forEach(visit);
  };
  for (const module of modules) {
    const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/${module}`)));
    if (!chunk) throw new Error(`no chunk holds ${module}`);
    visit(chunk.fileName);
  }
  return found;
}

const first = needed(STAGE);
const settled = needed([...STAGE, ...SECOND]);
const total = (names) => [...names].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
const print = (size, ...words) => console.log(String(size).padStart(7), ...words);

for (const [name, size] of [...sizes].sort((a, b) => b[1] - a[1])) {
  print(size, first.has(name) ? 'first ' : settled.has(name) ? 'second' : '      ', name);
}
print(total(first), `to see a running stage, of ${BUDGET}`);
print(total(settled), 'with what the stage fetches next');
print(total(sizes.keys()), 'the whole page in six languages');
if (total(first) > BUDGET) {
  console.error(`the stage is ${total(first) - BUDGET} bytes over its budget`);
  process.exitCode = 1;
}
