/** A real browser for tests of pages, and the rules of accessibility that a page must meet. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { requireChromium } from '@payments/devkit/programs/chromium'
import type axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

/** The smaller one of two: each page compiles it. */
const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const defineAxe = `void (() => { ${readFileSync(axeFile, 'utf8')} })()`

export type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

/**
 * Chromium without a window, with its own profile in a temporary directory. `close` ends it and deletes the
 * profile. Its sandbox is off, because it does not work as root, and the tests open their own pages only. With
 * `restoresDocuments`, it may show a document again without loading it when it goes back, as browsers of people do.
 */
export function openBrowser({ restoresDocuments = false } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: requireChromium(),
    headless: true,
    chromiumSandbox: false,
    ...(restoresDocuments ? { ignoreDefaultArgs: ['--disable-back-forward-cache'] } : {}),
  })
}

/**
 * The violations of the WCAG that axe finds in a page or one of its frames, each with its elements. `only` names the
 * rules to check, `except` rules to leave out. The policy of the page does not apply to this check.
 */
export async function accessibilityViolations(
  page: Pick<Page, 'evaluate'>,
  { only, except = [] }: { readonly only?: readonly string[]; readonly except?: readonly string[] } = {},
): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(defineAxe)
  const rules = Object.fromEntries(except.map((id) => [id, { enabled: false }]))
  const options = { ...(only === undefined ? { rules } : { runOnly: only }), resultTypes: ['violations'] }
  // Only the violations leave the page: axe lists every element that passes, too.
  const violations = await page.evaluate<axe.Result[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}
