// Whether the focus changes what is seen: pixels before and after, of some controls of every page.
//
// job:    { chromium, controls, pages: [{ name, root, file }] }
// answer: { pages: [{ name, controls: [{ path, shown }], error }] }
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { chromium } from 'playwright-core'

const PAGE_MS = 60_000
const AROUND = 12
const ORIGIN = 'https://project.invalid/~/~/~/~/~/~/~/~/root/'
const FLAGS = [
  '--no-sandbox', // local files only, and root has no sandbox
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND',
]
const KINDS = { '.css': 'text/css', '.js': 'text/javascript', '.html': 'text/html', '.htm': 'text/html', '.svg': 'image/svg+xml' }
const AT_REST = `*, *::before, *::after { transition: none !important; animation-duration: 1ms !important;
  animation-delay: 0s !important; animation-iteration-count: 1 !important; scroll-behavior: auto !important;
  caret-color: transparent !important; }`

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

async function visit({ name, root, file }) {
  const page = await browser.newPage()
  page.setDefaultTimeout(PAGE_MS / 4)
  page.on('dialog', (dialog) => dialog.dismiss().catch(() => {}))
  const controls = []
  try {
    const address = ORIGIN + relative(realpathSync(root), realpathSync(file)).split('/').map(encodeURIComponent).join('/')
    await page.route('**/*', (route) => serve(route, root))
    await page.goto(address, { waitUntil: 'load' })
    await page.addStyleTag({ content: AT_REST })
    await page.waitForTimeout(150)
    const paths = await page.evaluate(reached, job.controls)
    const until = Date.now() + PAGE_MS
    for (const path of paths) {
      if (Date.now() > until) break
      const shown = await looks(page, path)
      if (shown !== null) controls.push({ path, shown })
    }
    return { name, controls, error: null }
  } catch (error) {
    return { name, controls, error: String(error).split('\n')[0] }
  } finally {
    await page.close()
  }
}

function serve(route, root) {
  const address = route.request().url()
  if (!address.startsWith(ORIGIN)) return route.abort()
  try {
    const file = realpathSync(join(root, decodeURIComponent(address.slice(ORIGIN.length).split(/[?#]/)[0])))
    if (!file.startsWith(realpathSync(root)) || !statSync(file).isFile()) return route.abort()
    return route.fulfill({ body: readFileSync(file), contentType: KINDS[extname(file).toLowerCase()] })
  } catch {
    return route.fulfill({ status: 404, body: '' })
  }
}

/** Two pictures of the same place: whether they differ. Nothing if the control cannot be focused or is nowhere. */
async function looks(page, path) {
  const box = await page.evaluate(prepare, path)
  if (!box) return null
  const clip = {
    x: Math.max(0, box.x - AROUND),
    y: Math.max(0, box.y - AROUND),
    width: Math.min(1280, box.width + 2 * AROUND),
    height: Math.min(800, box.height + 2 * AROUND),
  }
  const before = await page.screenshot({ clip, animations: 'disabled' })
  if (!(await page.evaluate(focus, path))) return null
  const after = await page.screenshot({ clip, animations: 'disabled' })
  await page.evaluate(() => document.activeElement?.blur())
  return !before.equals(after)
}

// What follows runs in the page, and is sent there as text.

function reached(most) {
  const pathOf = (element) => {
    const steps = []
    for (let at = element; at; at = at.parentElement) {
      steps.unshift([...at.parentNode.children].indexOf(at))
      if (at.parentNode === document) return steps.join('.')
    }
    return null
  }
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter((element) => {
    const box = element.getBoundingClientRect()
    return element.tabIndex >= 0 && !element.disabled && box.width > 4 && box.height > 4 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  })
  const chosen = all.length <= most ? all : Array.from({ length: most }, (_, part) => all[Math.floor(((2 * part + 1) * all.length) / (2 * most))])
  return chosen.map(pathOf).filter(Boolean)
}


function prepare(path) {
  let element = document
  for (const step of path.split('.')) element = element?.children[Number(step)]
  if (!element) return null
  element.scrollIntoView({ block: 'center', inline: 'center' })
  const box = element.getBoundingClientRect()
  const isSeen = box.width > 0 && box.height > 0 && box.x < 1280 && box.y < 800 && box.x + box.width > 0 && box.y + box.height > 0
  return isSeen ? { x: box.x, y: box.y, width: box.width, height: box.height } : null
}

function focus(path) {
  let element = document
  for (const step of path.split('.')) element = element?.children[Number(step)]
  element?.focus({ preventScroll: true, focusVisible: true })
  return document.activeElement === element
}
