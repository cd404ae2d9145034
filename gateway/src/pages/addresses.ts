/**
 * The addresses that pages show: those of the configuration, never the Host of a request, which a cache could store for
 * other readers.
 */
export interface Addresses {
  /** Origin of the API. */
  readonly api: string
  /** Origin of the console; undefined where no one can sign in. */
  readonly console: string | undefined
}

/** The addresses of `npm start`, which the texts of this repository have. */
export const localAddresses: Addresses = { api: 'http://127.0.0.1:8080', console: 'http://127.0.0.1:8080' }

/** In the frame of every page. */
export const consoleLink = { href: '/console', text: 'Console' }

/** A page with these addresses in place of the local ones. Without a console, the page has no link to it. */
export function withAddresses(page: string, { api, console }: Addresses): string {
  const href = console === api ? consoleLink.href : `${console}${consoleLink.href}`
  const link = (target: string) => `<a href="${target}">${consoleLink.text}</a> `
  const linked = page.replaceAll(link(consoleLink.href), console === undefined ? '' : link(href))
  return linked.replaceAll(localAddresses.api, api)
}
