/** A real browser for tests of pages, and the rules of accessibility that a page must meet. */

import { requireChromium } from '@payments/devkit/programs/chromium'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

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
  await page.evaluate(`void (globalThis.axe ?? (() => { ${axe.source} })())`)
  const rules = Object.fromEntries(except.map((id) => [id, { enabled: false }]))
  const options = only === undefined ? { rules } : { runOnly: only }
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(document, ${JSON.stringify(options)})`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}
