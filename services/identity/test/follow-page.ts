import { readTitle, type TestBrowser } from './browsers.ts'

interface Page {
  readonly text: string
}

/** The target of a link of the page, by its text. Throws without one. */
export function findLink({ text }: Page, label: string): string {
  const links = [...text.matchAll(/<a class="[^"]*" href="([^"]*)">([^]*?)<\/a>/g)]
  const href = links.find(([, , shown = '']) => shown.replaceAll(/<[^>]*>/g, '') === label)?.[1]
  if (href === undefined) throw new Error(`no link ${label}: ${text}`)
  return href.replaceAll('&amp;', '&')
}

/** Follows a link, signs in at the provider, and returns the path to which that leads, or the title of a page. */
export async function signInFrom(browser: TestBrowser, path: string, provider = 'acme'): Promise<string> {
  const reply = await browser.get(path)
  const location = reply.headers['location'] ?? ''
  if (location.startsWith('/session/sign-in')) return signInFrom(browser, location, provider)
  if (location.startsWith('/')) return location
  if (location === '') return signInFrom(browser, findLink(reply, `Sign in with Provider ${provider}`), provider)
  const completed = await browser.callback(await browser.begin(path))
  return completed.headers['location'] ?? readTitle(completed)
}

/** Follows the button of a page that begins the sign-in again. */
export const beginAgain = (browser: TestBrowser, page: Page, provider?: string): Promise<string> =>
  signInFrom(browser, findLink(page, 'Begin again'), provider)
