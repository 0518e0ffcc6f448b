// Whether the focus changes what is seen: pixels before and after, of some controls of every page.
//
// job:    { chromium, controls, pages: [{ name, root, file }] }
// answer: { pages: [{ name, controls: [{ path, shown }], error }] }
import { addressOf, AT_REST, each, said, serve, start, tab, VIEWPORT } from './chromium.mjs'

const PAGE_MS = 60_000
const AROUND = 12

const { job, browser, answer } = await start()
await answer(async () => ({ pages: await each(job.pages, visit) }))

async function visit({ name, root, file }) {
  const page = await tab(browser, PAGE_MS / 4)
  const controls = []
  try {
    await page.route('**/*', (route) => serve(route, root))
    await page.goto(addressOf(root, file), { waitUntil: 'load' })
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
    return { name, controls, error: said(error) }
  } finally {
    await page.close()
  }
}

/** Two pictures of the same place: whether they differ. Nothing if the control cannot be focused, is nowhere or moves. */
async function looks(page, path) {
  const box = await page.evaluate(prepare, path)
  if (!box) return null
  const clip = {
    x: Math.max(0, box.x - AROUND),
    y: Math.max(0, box.y - AROUND),
    width: Math.min(VIEWPORT.width, box.width + 2 * AROUND),
    height: Math.min(VIEWPORT.height, box.height + 2 * AROUND),
  }
  const before = await page.screenshot({ clip, animations: 'disabled' })
  // What moves by itself says nothing of the focus.
  if (!before.equals(await page.screenshot({ clip, animations: 'disabled' }))) return null
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
