// axe-core in headless Chromium: a job as JSON on stdin, what axe says as JSON on stdout.
//
// job:    { chromium, rules, pages: [{ name, url, dark, selectors }], pairs: [[text, ground]] }
// answer: { axe, chromium, pages: [{ name, leads, nodes: [{ rule, dark, element, verdict, ratio }] }], pairs: [ratio] }
import axe from 'axe-core'
import { start, tab } from './chromium.mjs'

// A browser that hangs must not hang the tests.
const ALL_MS = 180_000
const PAGE_MS = 30_000

setTimeout(() => {
  console.error(`no answer within ${ALL_MS / 1000} s`)
  process.exit(1)
}, ALL_MS).unref()

const { job, browser, answer } = await start()
await answer(async () => {
  const pages = []
  for (const { name, url, dark, selectors } of job.pages) {
    const page = await tab(browser, PAGE_MS)
    await page.goto(url)
    await page.evaluate(axe.source)
    const leads = await page.evaluate(leadsTo, { selectors, named: String(named) })
    const nodes = await look(page, job.rules, false)
    if (dark) {
      await page.emulateMedia({ colorScheme: 'dark' })
      nodes.push(...(await look(page, ['color-contrast'], true)))
    }
    pages.push({ name, leads, nodes })
    await page.close()
  }
  const page = await tab(browser, PAGE_MS)
  await page.evaluate(axe.source)
  const pairs = await page.evaluate(ratios, job.pairs)
  return { axe: axe.version, chromium: browser.browser()?.version() ?? '', pages, pairs }
})

async function look(page, rules, dark) {
  const nodes = await page.evaluate(verdicts, { rules, named: String(named) })
  return nodes.map((node) => ({ ...node, dark }))
}

// What follows runs in the page, and is sent there as text.

/** The one name of an element that both sides use: from the nearest id, or from the body. */
function named(element) {
  const steps = []
  for (let at = element; at; at = at.parentElement) {
    if (at.id) {
      steps.unshift(`#${at.id}`)
      break
    }
    if (at.localName === 'html' && steps.length > 0) break
    const same = [...(at.parentElement?.children ?? [])].filter((other) => other.localName === at.localName)
    steps.unshift(same.length > 1 ? `${at.localName}:nth-of-type(${same.indexOf(at) + 1})` : at.localName)
  }
  return steps.join(' > ')
}

/** The elements that each of our selectors leads to: it should be one. */
function leadsTo({ selectors, named }) {
  const name = new Function(`return ${named}`)()
  return selectors.map((selector) => [...document.querySelectorAll(selector)].map((element) => name(element)))
}

async function verdicts({ rules, named }) {
  const name = new Function(`return ${named}`)()
  const results = await axe.run(document, { runOnly: { type: 'rule', values: rules }, elementRef: true })
  const of = (list, verdict) =>
    list.flatMap(({ id, nodes }) =>
      nodes.map(({ element, any, all, none }) => {
        const data = [...any, ...all, ...none].map((check) => check.data).find((data) => data?.contrastRatio)
        return { rule: id, element: name(element), verdict, ratio: data?.contrastRatio ?? null }
      }),
    )
  const { violations, incomplete, passes } = results
  return [...of(violations, 'fails'), ...of(incomplete, 'undecided'), ...of(passes, 'passes')]
}

function ratios(pairs) {
  const { Color, getContrast, flattenColors } = axe.commons.color
  const parse = (text) => {
    const color = new Color()
    color.parseString(text)
    return color
  }
  return pairs.map(([text, ground]) => {
    const below = flattenColors(parse(ground), new Color(255, 255, 255, 1))
    return getContrast(below, flattenColors(parse(text), below))
  })
}
