/**
 * The configured addresses that pages show, never the Host of a request, which a cache could store for other readers.
 */
export interface Addresses {
  /** Origin of the API. */
  readonly api: string
  /** Origin of the console; undefined where no one can sign in. */
  readonly console: string | undefined
}

/** The addresses of `npm start`, which the built pages have. */
export const localAddresses: Addresses = { api: 'http://127.0.0.1:8080', console: 'http://127.0.0.1:8080' }

const consoleLink = (origin: string) => `<a href="${origin}/console">Console</a> `

/** A built page with these addresses in place of the local ones. Without a console, the page has no link to it. */
export function withAddresses(page: string, { api, console }: Addresses): string {
  const link = console === undefined ? '' : consoleLink(console === api ? '' : console)
  return page.replaceAll(consoleLink(''), link).replaceAll(localAddresses.api, api)
}
