// What a page looks like, says and breaks before and after it was fixed, in the same Chromium.
//
// job:    { chromium, pages: [{ name, root, file, overlay: { below: text }, faint: [selector] }] }
// answer: { axe, pages: [{ name, added: [rule element], removed, words, outside, error }] }
//
// The overlay has the texts of the files that were changed: everything else is served as it is on the disk.
import { readFileSync, existsSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import axe from 'axe-core'
import { chromium } from 'playwright-core'

const PAGE_MS = 60_000
const WIDTH = 1280
// A picture of a whole book says no more than one of its start, and no browser takes it.
const HIGHEST = 6000
// Letters reach out of their boxes, and their edges are soft.
const SOFT = 4
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
  animation-delay: 0s !important; animation-iteration-count: 1 !important; caret-color: transparent !important; }`

const job = JSON.parse(await text(process.stdin))
const profile = mkdtempSync(join(tmpdir(), 'agreement-'))
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: job.chromium,
  headless: true,
  args: FLAGS,
  viewport: { width: WIDTH, height: 800 },
  colorScheme: 'light',
  reducedMotion: 'no-preference',
})
const differ = await browser.newPage()
try {
  const pages = []
  for (const page of job.pages) pages.push(await judge(page))
  process.stdout.write(JSON.stringify({ axe: axe.version, pages }))
} finally {
  await browser.close()
  rmSync(profile, { recursive: true, force: true })
}

async function judge({ name, root, file, overlay, faint }) {
  process.stderr.write(`${name}\n`)
  try {
    // Twice as it was: what differs then differs by itself.
    const first = await visit(root, file, {}, faint)
    const again = await visit(root, file, {}, faint)
    const now = await visit(root, file, overlay, faint)
    const restless = await differ.evaluate(compared, { one: first.picture, two: again.picture, allowed: [], soft: 0, mask: null })
    const shown = await differ.evaluate(compared, {
      one: first.picture,
      two: now.picture,
      allowed: [...first.boxes, ...now.boxes],
      soft: SOFT,
      mask: restless.box,
    })
    const [before, after] = [new Set(first.faults), new Set(now.faults)]
    return {
      name,
      added: [...after].filter((one) => !before.has(one) && !new Set(again.faults).has(one)),
      removed: [...before].filter((one) => !after.has(one)).length,
      words: first.words === now.words || first.words !== again.words ? null : where(first.words, now.words),
      differs: shown.differs,
      outside: shown.outside > 0 ? shown.box : null,
      restless: restless.differs,
      error: null,
    }
  } catch (error) {
    return { name, added: [], removed: 0, words: null, differs: 0, outside: null, restless: 0, error: String(error).split('\n')[0] }
  }
}

function where(one, two) {
  let at = 0
  while (at < one.length && one[at] === two[at]) at += 1
  return `${one.slice(Math.max(0, at - 20), at + 40)} → ${two.slice(Math.max(0, at - 20), at + 40)}`
}

async function visit(root, file, overlay, faint) {
  const page = await browser.newPage()
  page.setDefaultTimeout(PAGE_MS)
  page.on('dialog', (dialog) => dialog.dismiss().catch(() => {}))
  try {
    await page.addInitScript(() => {
      // The same numbers and the same day for every visit.
      let seed = 1
      Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647
    })
    await page.clock.setFixedTime(new Date('2026-01-01T12:00:00Z'))
    await page.route('**/*', (route) => serve(route, root, overlay))
    await page.goto(ORIGIN + relative(realpathSync(root), realpathSync(file)).split('/').map(encodeURIComponent).join('/'), { waitUntil: 'load' })
    await page.addStyleTag({ content: AT_REST })
    await page.waitForTimeout(200)
    await page.evaluate(axe.source)
    const faults = await page.evaluate(violations)
    const words = await page.evaluate(() => document.body?.innerText.replace(/\s+/g, ' ') ?? '')
    const boxes = await page.evaluate(boxesOf, { faint, faults: faults.filter((one) => one.startsWith('color-contrast ')) })
    const height = Math.min(HIGHEST, await page.evaluate(() => Math.max(800, document.documentElement.scrollHeight)))
    await page.setViewportSize({ width: WIDTH, height })
    await page.waitForTimeout(100)
    const picture = (await page.screenshot({ animations: 'disabled' })).toString('base64')
    const tall = await page.evaluate(boxesOf, { faint, faults: faults.filter((one) => one.startsWith('color-contrast ')) })
    return { faults, words, boxes: [...boxes, ...tall], picture }
  } finally {
    await page.close()
  }
}

function serve(route, root, overlay) {
  const address = route.request().url()
  if (!address.startsWith(ORIGIN)) return route.abort()
  try {
    const below = decodeURIComponent(address.slice(ORIGIN.length).split(/[?#]/)[0])
    const top = realpathSync(root)
    const file = realpathSync(join(top, below))
    if (!file.startsWith(top) || !existsSync(file) || !statSync(file).isFile()) return route.abort()
    const changed = overlay[relative(top, file)]
    return route.fulfill({ body: changed ?? readFileSync(file), contentType: KINDS[extname(file).toLowerCase()] })
  } catch {
    return route.fulfill({ status: 404, body: '' })
  }
}

// What follows runs in a page, and is sent there as text.

async function violations() {
  const pathOf = (element) => {
    const steps = []
    for (let at = element; at; at = at.parentElement) {
      const parent = at.parentNode
      if (!parent || parent.nodeType === Node.DOCUMENT_FRAGMENT_NODE) return 'shadow'
      steps.unshift([...parent.children].indexOf(at))
      if (parent === document) return steps.join('.')
    }
    return 'gone'
  }
  const results = await axe.run(document, { elementRef: true, iframes: false, resultTypes: ['violations'] })
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ element }) => `${id} ${pathOf(element)}`))
}

/** The boxes that a fix may be about: text that is too faint, and the ground right under it. */
function boxesOf({ faint, faults }) {
  const byPath = (path) => path.split('.').reduce((at, step) => at?.children[Number(step)], document)
  const elements = [
    ...faint.flatMap((selector) => {
      try {
        return [...document.querySelectorAll(selector)]
      } catch {
        return []
      }
    }),
    ...faults.map((fault) => byPath(fault.split(' ')[1])),
  ].filter(Boolean)
  const grounds = elements.map((element) => {
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).backgroundColor !== 'rgba(0, 0, 0, 0)') return at
    }
    return null
  })
  return [...new Set([...elements, ...grounds.filter(Boolean)])].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return [x + scrollX, y + scrollY, Math.max(width, element.scrollWidth), Math.max(height, element.scrollHeight)]
  })
}

/** How many pixels differ, how many of them outside of the boxes, and where those are. */
async function compared({ one, two, allowed, soft, mask }) {
  const read = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(image.width, image.height)
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0)
    return { width: image.width, height: image.height, pixels: new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer) }
  }
  const [first, second] = [await read(one), await read(two)]
  if (first.width !== second.width || first.height !== second.height) {
    return { differs: 1, outside: 1, box: [0, 0, first.height, second.height] }
  }
  const boxes = allowed.map(([x, y, width, height]) => [x - soft, y - soft, x + width + soft, y + height + soft])
  if (mask) boxes.push([mask[0], mask[1], mask[2] + 1, mask[3] + 1])
  let [differs, outside] = [0, 0]
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1]
  for (let at = 0; at < first.pixels.length; at += 1) {
    if (first.pixels[at] === second.pixels[at]) continue
    differs += 1
    const [x, y] = [at % first.width, Math.floor(at / first.width)]
    if (boxes.some((box) => x >= box[0] && y >= box[1] && x < box[2] && y < box[3])) continue
    outside += 1
    ;[left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)]
  }
  return { differs, outside, box: outside > 0 ? [left, top, right, bottom] : null }
}
