// What axe says of pages whose scripts do not run, which is what the static eye reads; and what it says in a window that
// is so high that hardly anything is scrolled away, since axe looks only at what a scrolling box shows.
//
// job:    { chromium, rules, high, pages: [{ name, root, file, selectors, fails: [[rule, selector number]], scrolled }] }
// answer: { pages: [{ name, leads, nodes, high, live, error }] }
import { readFileSync } from 'node:fs'
import axe from 'axe-core'
import { addressOf, AT_REST, each, said, serve, start, tab, VIEWPORT } from './chromium.mjs'

const PAGE_MS = 40_000
const HIGH = 40000
const NO_SCRIPTS = { 'content-security-policy': "script-src 'none'" }
const LOOK = readFileSync('look.js', 'utf8')


// The high window would have no room for the bar that the usual one has.
const { job, browser, answer } = await start({ flags: ['--hide-scrollbars'] })
await answer(async () => ({ pages: await each(job.pages, visit) }))

async function visit({ name, root, file, selectors, fails, scrolled }) {
  process.stderr.write(`without scripts: ${name}\n`)
  try {
    const { leads, nodes } = await look(root, file, { headers: NO_SCRIPTS, height: VIEWPORT.height, rules: job.rules, selectors })
    // A window of this height is dear, so it is opened only for what fails for us alone.
    const failed = new Set(nodes.filter(({ verdict }) => verdict === 'fails').map(({ rule, path }) => `${rule} ${path}`))
    const isAlone = fails.some(([rule, selector]) => leads[selector].some((path) => !failed.has(`${rule} ${path}`)))
    const none = { nodes: [] }
    const high = isAlone ? await look(root, file, { headers: NO_SCRIPTS, height: HIGH, rules: job.high, selectors: [] }) : none
    const live = scrolled ? await look(root, file, { headers: {}, height: HIGH, rules: job.high, selectors: [] }) : none
    return { name, leads, nodes, high: high.nodes, live: live.nodes, error: null }
  } catch (error) {
    return { name, leads: [], nodes: [], high: [], live: [], error: said(error) }
  }
}

async function look(root, file, { headers, height, rules, selectors }) {
  const page = await tab(browser, PAGE_MS)
  let patience
  try {
    await page.setViewportSize({ width: VIEWPORT.width, height })
    await page.route('**/*', (route) => serve(route, root, { headers }))
    await page.goto(addressOf(root, file), { waitUntil: 'load' })
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
