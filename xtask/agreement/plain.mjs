// What axe says of pages whose scripts do not run, which is what the static eye reads; and what it says in a window that
// is so high that hardly anything is scrolled away, since axe looks only at what a scrolling box shows.
//
// job:    { chromium, rules, high, pages: [{ name, root, file, selectors }] }
// answer: { pages: [{ name, leads, nodes, high, live, error }] }
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import axe from 'axe-core'
import { chromium } from 'playwright-core'

const PAGE_MS = 40_000
const HIGH = 40000
const ORIGIN = 'https://project.invalid/~/~/~/~/~/~/~/~/root/'
const NO_SCRIPTS = { 'content-security-policy': "script-src 'none'" }
const FLAGS = [
  '--no-sandbox', // local files only, and root has no sandbox
  '--disable-gpu',
  '--disable-quic',
  '--hide-scrollbars',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND',
]
const KINDS = { '.css': 'text/css', '.js': 'text/javascript', '.html': 'text/html', '.htm': 'text/html', '.svg': 'image/svg+xml' }
const AT_REST = `*, *::before, *::after { transition: none !important; animation-duration: 1ms !important;
  animation-delay: 0s !important; animation-iteration-count: 1 !important; }`
const LOOK = readFileSync('look.js', 'utf8')

const job = JSON.parse(await text(process.stdin))
const profile = mkdtempSync(join(tmpdir(), 'agreement-'))
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: job.chromium,
  headless: true,
  args: FLAGS,
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
})
try {
  const pages = []
  for (const page of job.pages) pages.push(await visit(page))
  process.stdout.write(JSON.stringify({ pages }))
} finally {
  await browser.close()
  rmSync(profile, { recursive: true, force: true })
}

async function visit({ name, root, file, selectors }) {
  try {
    const { leads, nodes } = await look(root, file, { headers: NO_SCRIPTS, height: 800, rules: job.rules, selectors })
    const high = await look(root, file, { headers: NO_SCRIPTS, height: HIGH, rules: job.high, selectors: [] })
    const live = await look(root, file, { headers: {}, height: HIGH, rules: job.high, selectors: [] })
    return { name, leads, nodes, high: high.nodes, live: live.nodes, error: null }
  } catch (error) {
    return { name, leads: [], nodes: [], high: [], live: [], error: String(error).split('\n')[0] }
  }
}

async function look(root, file, { headers, height, rules, selectors }) {
  const page = await browser.newPage()
  page.setDefaultTimeout(PAGE_MS)
  page.on('dialog', (dialog) => dialog.dismiss().catch(() => {}))
  let patience
  try {
    await page.setViewportSize({ width: 1280, height })
    await page.route('**/*', (route) => serve(route, root, headers))
    await page.goto(ORIGIN + relative(realpathSync(root), realpathSync(file)).split('/').map(encodeURIComponent).join('/'), { waitUntil: 'load' })
    await page.addStyleTag({ content: AT_REST })
    await page.evaluate(`${axe.source};undefined`)
    const late = new Promise((_, reject) => {
      patience = setTimeout(() => reject(new Error('axe takes too long')), PAGE_MS)
    })
    return await Promise.race([page.evaluate(LOOK.replace('__JOB__', () => JSON.stringify({ rules, selectors }))), late])
  } finally {
    clearTimeout(patience)
    await page.close()
  }
}

function serve(route, root, headers) {
  const address = route.request().url()
  if (!address.startsWith(ORIGIN)) return route.abort()
  try {
    const file = realpathSync(join(root, decodeURIComponent(address.slice(ORIGIN.length).split(/[?#]/)[0])))
    if (!file.startsWith(realpathSync(root)) || !statSync(file).isFile()) return route.abort()
    return route.fulfill({ body: readFileSync(file), contentType: KINDS[extname(file).toLowerCase()], headers })
  } catch {
    return route.fulfill({ status: 404, body: '' })
  }
}
