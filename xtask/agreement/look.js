// Runs in a page of the corpus, after axe-core: what axe says of every element, and where our selectors lead.
// The job is put in its place: { rules, selectors }.
(async () => {
  const job = __JOB__
  // The number of each element among its siblings, from the document down: the one name that all sides use.
  const pathOf = (element) => {
    const steps = []
    for (let at = element; at; at = at.parentElement) {
      const parent = at.parentNode
      if (!parent || parent.nodeType === Node.DOCUMENT_FRAGMENT_NODE) return null
      steps.unshift([...parent.children].indexOf(at))
      if (parent === document) return steps.join('.')
    }
    return null
  }
  const results = await axe.run(document, {
    runOnly: { type: 'rule', values: job.rules },
    elementRef: true,
    iframes: false,
  })
  const of = (list, verdict) =>
    list.flatMap(({ id, nodes }) =>
      nodes.map(({ element, any, all, none }) => {
        const data = [...any, ...all, ...none].map((check) => check.data).find((data) => data?.contrastRatio)
        const why = verdict === 'passes' ? null : ([...any, ...all, ...none].map((check) => check.data?.messageKey).find(Boolean) ?? null)
        return {
          rule: id,
          path: pathOf(element),
          verdict,
          ratio: data?.contrastRatio ?? null,
          colors: data ? `${data.fgColor} on ${data.bgColor}` : null,
          why,
          html: verdict === 'passes' ? '' : element.outerHTML.slice(0, 160).replace(/\s+/g, ' '),
        }
      }),
    )
  const leads = job.selectors.map((selector) => {
    try {
      return [...document.querySelectorAll(selector)].map(pathOf)
    } catch {
      return []
    }
  })
  const { violations, incomplete, passes } = results
  return {
    axe: axe.version,
    leads,
    nodes: [...of(violations, 'fails'), ...of(incomplete, 'undecided'), ...of(passes, 'passes')],
  }
})()
