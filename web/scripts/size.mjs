// Prints what the page weighs, gzipped, and fails when a running stage is over its budget.
// It builds in memory and walks the imports of the chunks, so a new chunk cannot slip past it.
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const BUDGET = 18 * 1024;
// What has to arrive before a running stage is seen: these modules and everything they import.
const STAGE = ['src/main.tsx', 'src/stage/Stage.tsx', 'src/i18n/en.ts'];

const { output } = await build({ logLevel: 'error', build: { write: false } });
const files = new Map(output.map((file) => [file.fileName, file]));
const gzipped = (file) => gzipSync(file.code ?? file.source, { level: 9 }).length;

const chunks = output.filter((file) => file.type === 'chunk');
const stage = new Set();
const visit = (name) => {
  const file = files.get(name);
  if (!file || stage.has(name)) return;
  stage.add(name);
  for (const css of file.viteMetadata?.importedCss ?? []) stage.add(css);
  file.imports?.forEach(visit);
};
for (const module of STAGE) {
  const chunk = chunks.find((chunk) => chunk.moduleIds.some((id) => id.endsWith(`/${module}`)));
  if (!chunk) throw new Error(`no chunk holds ${module}`);
  visit(chunk.fileName);
}

let ofStage = 0;
let ofPage = 0;
for (const file of output.toSorted((a, b) => gzipped(b) - gzipped(a))) {
  const size = gzipped(file);
  ofPage += size;
  const counts = stage.has(file.fileName);
  if (counts) ofStage += size;
  console.log(`${String(size).padStart(7)}  ${counts ? 'stage' : '     '}  ${file.fileName}`);
}
console.log(`${String(ofStage).padStart(7)}  stage, of ${BUDGET}`);
console.log(`${String(ofPage).padStart(7)}  whole page`);
if (ofStage > BUDGET) {
  console.error(`the stage is ${ofStage - BUDGET} bytes over its budget`);
  process.exitCode = 1;
}
