// What a page looks like, says and breaks before and after it was fixed, in the same Chromium.
//
// job:    { chromium, pages: [{ name, root, file, overlay: { below: text }, faint: [selector] }] }
// answer: { axe, pages: [{ name, added: [rule element], removed, words, outside, error }] }
//
// The overlay has the texts of the files that were changed: everything else is served as it is on the disk.
import axe from 'axe-core'
import { addressOf, AT_REST, each, said, serve, start, tab, VIEWPORT } from './chromium.mjs'

const PAGE_MS = 60_000
// A picture of a whole book says no more than one of its start, and no browser takes it.
const HIGHEST = 6000
// Letters reach out of their boxes, and their edges are soft.
const SOFT = 4

const { job, browser, answer } = await start()
const differ = await browser.newPage()
await answer(async () => ({ axe: axe.version, pages: await each(job.pages, judge) }))

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
    return { name, added: [], removed: 0, words: null, differs: 0, outside: null, restless: 0, error: said(error) }
  }
}

function where(one, two) {
  let at = 0
  while (at < one.length && one[at] === two[at]) at += 1
  return `${one.slice(Math.max(0, at - 20), at + 40)} → ${two.slice(Math.max(0, at - 20), at + 40)}`
}

async function visit(root, file, overlay, faint) {
  const page = await tab(browser, PAGE_MS)
  try {
    await page.addInitScript(() => {
      // The same numbers and the same day for every visit.
      let seed = 1
      Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647
    })
    await page.clock.setFixedTime(new Date('2026-01-01T12:00:00Z'))
    await page.route('**/*', (route) => serve(route, root, { overlay }))
    await page.goto(addressOf(root, file), { waitUntil: 'load' })
    await page.addStyleTag({ content: AT_REST })
    await page.waitForTimeout(200)
    await page.evaluate(axe.source)
    const faults = await page.evaluate(violations)
    const words = await page.evaluate(() => document.body?.innerText.replace(/\s+/g, ' ') ?? '')
    const boxes = await page.evaluate(boxesOf, { faint, faults: faults.filter((one) => one.startsWith('color-contrast ')) })
    const height = Math.min(HIGHEST, await page.evaluate(() => Math.max(800, document.documentElement.scrollHeight)))
    await page.setViewportSize({ width: VIEWPORT.width, height })
    await page.waitForTimeout(100)
    const picture = (await page.screenshot({ animations: 'disabled' })).toString('base64')
    const tall = await page.evaluate(boxesOf, { faint, faults: faults.filter((one) => one.startsWith('color-contrast ')) })
    return { faults, words, boxes: [...boxes, ...tall], picture }
  } finally {
    await page.close()
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
  const found = results.violations.flatMap(({ id, nodes }) => nodes.map(({ element }) => `${id} ${pathOf(element)}`))
  // axe lets a page without these pass while it believes that a dialog is open, which dialogs that come by themselves change
  // from visit to visit: the page is asked itself.
  const wanted = { 'landmark-one-main': 'main:not([role]), [role=main]', 'page-has-heading-one': 'h1, [role=heading][aria-level="1"]' }
  const others = found.filter((one) => !(one.split(' ')[0] in wanted))
  return [...others, ...Object.keys(wanted).filter((rule) => !document.querySelector(wanted[rule])).map((rule) => `${rule} 0`)]
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
