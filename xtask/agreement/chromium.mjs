// Chromium for the scripts of this folder: how it is started, and the files of a project as the only site that it reaches.
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { chromium } from 'playwright-core'

// The window that our measurements imagine.
export const VIEWPORT = { width: 1280, height: 800 }
export const ABOVE = 'https://project.invalid'
// Deep, so that what leads above the root can be told from what leads to it.
export const ORIGIN = `${ABOVE}/~/~/~/~/~/~/~/~/~/~/~/~/root/`
// The page at rest, as the browser eye sees it.
export const AT_REST = `*, *::before, *::after { transition: none !important; animation-duration: 1ms !important;
  animation-delay: 0s !important; animation-iteration-count: 1 !important; scroll-behavior: auto !important;
  caret-color: transparent !important; }`

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

/** The job from stdin, a browser for it, and what lets `work` answer: as JSON on stdout, and the browser is gone after it. */
export async function start({ flags = [] } = {}) {
  const job = JSON.parse(await text(process.stdin))
  const profile = mkdtempSync(join(tmpdir(), 'agreement-'))
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: job.chromium,
    headless: true,
    args: [...FLAGS, ...flags],
    viewport: VIEWPORT,
    colorScheme: 'light',
    reducedMotion: 'no-preference',
  })
  const answer = async (work) => {
    try {
      process.stdout.write(JSON.stringify(await work()))
    } finally {
      await browser.close()
      rmSync(profile, { recursive: true, force: true })
    }
  }
  return { job, browser, answer }
}

/** The answers to all pages, one after the other. */
export async function each(pages, visit) {
  const seen = []
  for (const page of pages) seen.push(await visit(page))
  return seen
}

/** A tab whose dialogs nobody answers. */
export async function tab(browser, patience) {
  const page = await browser.newPage()
  page.setDefaultTimeout(patience)
  page.on('dialog', (dialog) => dialog.dismiss().catch(() => {}))
  return page
}

/** A file of the project as the address of a page. */
export function addressOf(root, file) {
  return ORIGIN + relative(realpathSync(root), realpathSync(file)).split('/').map(encodeURIComponent).join('/')
}

/** Answers a request from the files below `root`; `overlay` has texts that stand for the files of their names. */
export function serve(route, root, { headers = {}, overlay = {} } = {}) {
  const address = route.request().url()
  if (!address.startsWith(ORIGIN)) return route.abort()
  try {
    const top = realpathSync(root)
    const file = realpathSync(join(top, decodeURIComponent(address.slice(ORIGIN.length).split(/[?#]/)[0])))
    if (!file.startsWith(top) || !statSync(file).isFile()) return route.abort()
    const body = overlay[relative(top, file)] ?? readFileSync(file)
    return route.fulfill({ body, contentType: KINDS[extname(file).toLowerCase()], headers })
  } catch {
    return route.fulfill({ status: 404, body: '' })
  }
}

/** The first line of an error: what follows is a stack. */
export function said(error) {
  return String(error).split('\n')[0]
}
