// Where every address of a page leads: Chromium's parser, its URLs and its ids, and the files that are on the disk.
//
// job:    { chromium, pages: [{ name, root, file, selectors }] }
// answer: { pages: [{ name, leads, links: [{ element, kind, address, verdict, why }], error }] }
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { ABOVE, addressOf, each, ORIGIN, said as told, serve, start, tab } from './chromium.mjs'

const PAGE_MS = 30_000
const PAGES = ['.html', '.htm', '.xhtml']
const MAX_SHEETS = 64

const { job, browser, answer } = await start()
// One page parses texts; another one runs the page with its scripts.
const parser = await browser.newPage()
await parser.route('**/*', (route) => route.fulfill({ body: '<!doctype html>', contentType: 'text/html' }))
await parser.goto(ORIGIN)
const known = new Map()
await answer(async () => ({ pages: await each(job.pages, visit) }))

async function visit({ name, root, file, selectors }) {
  try {
    const place = { root: realpathSync(root), file: realpathSync(file) }
    const address = addressOf(place.root, place.file)
    const { leads, found, base, sheets, inline } = await parser.evaluate(parsed, { source: read(place.file), address, selectors })
    const living = await lives(place, address)
    const links = []
    for (const { element, kind, written, resolved, reads } of found) {
      const said = await judge(place, address, resolved, reads, living)
      if (said) links.push({ element, kind, address: written, ...said })
    }
    const queue = [...sheets.map((resolved) => ({ resolved, text: null })), ...inline.map((text) => ({ resolved: base, text }))]
    const read_once = new Set()
    while (queue.length > 0 && read_once.size < MAX_SHEETS) {
      const { resolved, text } = queue.shift()
      const file = text === null ? fileOf(place.root, resolved) : place.file
      if (text === null && (read_once.has(file) || !isFile(file))) continue
      if (text === null) read_once.add(file)
      for (const { written, imports } of urls(text ?? read(file))) {
        const target = await parser.evaluate(join2, [written, resolved])
        if (imports) queue.push({ resolved: target, text: null })
        if (written.startsWith('#')) continue
        const said = await judge(place, address, target, false, living)
        if (said) links.push({ element: `${relative(place.root, file)} ${written}`, kind: 'asset', address: written, ...said })
      }
    }
    return { name, leads, links, error: null }
  } catch (error) {
    return { name, leads: [], links: [], error: told(error) }
  }
}

/** Fails, passes, or nothing where no file is meant. */
async function judge({ root, file }, own, resolved, reads, living) {
  if (!resolved || !resolved.startsWith(`${ABOVE}/`)) return null
  const [bare, fragment] = split(resolved)
  if (!`${bare}/`.startsWith(ORIGIN)) return null
  const target = fileOf(root, bare)
  if (target === null) return { verdict: 'fails', why: 'no such name' }
  if (leavesRoot(root, target)) return null
  if (!existsSync(target)) return { verdict: 'fails', why: 'no file' }
  if (!reads || fragment === '') return { verdict: 'passes', why: '' }
  const page = statSync(target).isDirectory() ? join(target, 'index.html') : target
  if (!PAGES.includes(extname(page).toLowerCase()) || !isFile(page)) return { verdict: 'passes', why: '' }
  const isOwn = realpathSync(page) === file
  const there = await parser.evaluate(holds, { id: fragment, ids: await ids(page), living: isOwn ? living : [] })
  return there ? { verdict: 'passes', why: '' } : { verdict: 'fails', why: 'no id' }
}

function split(resolved) {
  const [before, ...rest] = resolved.split('#')
  return [before.split('?')[0], rest.join('#')]
}

function fileOf(root, resolved) {
  try {
    return join(root, ...split(resolved)[0].slice(ORIGIN.length).split('/').map(decodeURIComponent))
  } catch {
    return null
  }
}

/** A link in the file system on the way leads out of the root: nobody looks there. */
function leavesRoot(root, target) {
  for (let at = target; at.length > root.length; at = dirname(at)) {
    try {
      if (lstatSync(at).isSymbolicLink()) return existsSync(at) && !realpathSync(at).startsWith(root)
    } catch {
      // Not there: what is above it may be.
    }
  }
  return false
}

function isFile(file) {
  return file !== null && existsSync(file) && statSync(file).isFile()
}

function read(file) {
  const bytes = readFileSync(file)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

async function ids(file) {
  const real = realpathSync(file)
  if (!known.has(real)) known.set(real, await parser.evaluate(named, read(real)))
  return known.get(real)
}

/** The ids that the page has when its scripts have run. */
async function lives({ root }, address) {
  const page = await tab(browser, PAGE_MS)
  try {
    await page.route('**/*', (route) => serve(route, root))
    await page.goto(address, { waitUntil: 'load' })
    await page.waitForTimeout(100)
    return await page.evaluate(() => [...document.querySelectorAll('[id], a[name]')].flatMap((one) => [one.id, one.getAttribute('name')]).filter(Boolean))
  } catch {
    return []
  } finally {
    await page.close()
  }
}

/** What a sheet names, by the tokens of CSS: comments, strings, url(…) and @import. */
function urls(css) {
  const found = []
  const token = /\/\*[\s\S]*?(?:\*\/|$)|@import\s+(?:url\(\s*)?(["']?)((?:\\.|(?!\1)[^\\\n)])*?)\1\s*[);\s]|url\(\s*(?:"((?:\\[\s\S]|[^"\\\n])*)"|'((?:\\[\s\S]|[^'\\\n])*)'|((?:\\.|[^\\"'()\s])*))\s*\)|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/gi
  for (const [whole, , imported, double, single, bare] of css.matchAll(token)) {
    if (whole.startsWith('/*')) continue
    const written = whole.startsWith('@') ? imported : (double ?? single ?? bare)
    if (written === undefined || written.trim() === '') continue
    found.push({ written: written.replace(/\\(.)/g, '$1'), imports: whole.startsWith('@') })
  }
  return found
}

// What follows runs in a page, and is sent there as text.

function join2([written, base]) {
  try {
    return new URL(written, base).href
  } catch {
    return null
  }
}

function named(source) {
  const parsed = new DOMParser().parseFromString(source, 'text/html')
  return [...parsed.querySelectorAll('[id], a[name]')].flatMap((one) => [one.id, one.localName === 'a' ? one.getAttribute('name') : null]).filter(Boolean)
}

/** https://html.spec.whatwg.org/#find-a-potential-indicated-element */
function holds({ id, ids, living }) {
  let decoded = id
  try {
    decoded = decodeURIComponent(id)
  } catch {
    // As it is written, then.
  }
  const all = new Set([...ids, ...living])
  const isRoute = /^[/!]/.test(id) || id.includes(':~:')
  return isRoute || all.has(id) || all.has(decoded) || decoded.toLowerCase() === 'top'
}

function parsed({ source, address, selectors }) {
  const page = new DOMParser().parseFromString(source, 'text/html')
  const pathOf = (element) => {
    const steps = []
    for (let at = element; at; at = at.parentElement) {
      if (!at.parentNode || at.parentNode.nodeType === Node.DOCUMENT_FRAGMENT_NODE) return null
      steps.unshift([...at.parentNode.children].indexOf(at))
      if (at.parentNode === page) return steps.join('.')
    }
    return null
  }
  const resolve = (written, base) => {
    try {
      return new URL(written, base).href
    } catch {
      return null
    }
  }
  const base = resolve(page.querySelector('base[href]')?.getAttribute('href') ?? address, address) ?? address
  const found = []
  const put = (element, kind, written, reads) => {
    if (written === null || written === undefined) return
    const clean = written.trim()
    if (clean === '' || clean === '#' || /^javascript:/i.test(clean)) return
    found.push({ element: pathOf(element), kind, written, resolved: resolve(clean, base), reads })
  }
  for (const one of page.querySelectorAll('a[href], area[href]')) {
    if (one.namespaceURI === 'http://www.w3.org/1999/xhtml') put(one, 'link', one.getAttribute('href'), true)
  }
  for (const one of page.querySelectorAll('form[action]')) put(one, 'link', one.getAttribute('action'), false)
  const hints = ['preconnect', 'dns-prefetch', 'canonical', 'alternate']
  for (const one of page.querySelectorAll('link[href]')) {
    if (![...one.relList].some((rel) => hints.includes(rel.toLowerCase()))) put(one, 'asset', one.getAttribute('href'), false)
  }
  for (const one of page.querySelectorAll('img, source, audio, video, track, script, iframe, embed, input[type=image]')) {
    if (one.namespaceURI !== 'http://www.w3.org/1999/xhtml') continue
    put(one, 'asset', one.getAttribute('src'), false)
    if (one.localName === 'video') put(one, 'asset', one.getAttribute('poster'), false)
    if (one.srcset) for (const part of one.srcset.split(/,\s+/)) put(one, 'asset', part.trim().split(/\s+/)[0], false)
  }
  for (const one of page.querySelectorAll('object[data]')) put(one, 'asset', one.getAttribute('data'), false)
  const sheets = [...page.querySelectorAll('link[rel~=stylesheet i][href]')]
    .filter((one) => !one.relList.contains('alternate'))
    .map((one) => resolve(one.getAttribute('href'), base))
    .filter(Boolean)
  const inline = [
    ...[...page.querySelectorAll('style')].map((one) => one.textContent),
    ...[...page.querySelectorAll('[style]')].map((one) => one.getAttribute('style')),
  ]
  const leads = selectors.map((selector) => {
    try {
      return [...page.querySelectorAll(selector)].map(pathOf)
    } catch {
      return []
    }
  })
  return { leads, found: found.filter((one) => one.element !== null), base, sheets, inline }
}
