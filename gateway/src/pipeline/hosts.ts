import type { Config } from '../config.ts'

/**
 * **What it does.** Decides by the Host of a request which pages the gateway serves. The console and the sign-in have
 * the host of CONSOLE_ORIGIN. Pages that run other scripts, or show what tenants wrote, are served on other hosts: a
 * fault of theirs cannot send requests with the cookie of a session. The card page has the host of CARD_PAGE_ORIGIN.
 *
 * **Guarantees.**
 * - Without CONSOLE_ORIGIN, no request reaches `/console` or `/session`.
 * - `/pay/card/` is served on the host of CARD_PAGE_ORIGIN only, in dev too.
 * - Outside dev, each host serves its own pages only. That of the console redirects `/docs` to API_ORIGIN.
 *
 * **Not guaranteed.** That a proxy passes on the Host of the browser.
 */
export interface Hosts {
  /** The origin of the console; undefined where sign-in is off. */
  readonly consoleOrigin: string | undefined
  isConsole(host: string | undefined): boolean
  serves(path: string, host: string | undefined): boolean
  /** The origin that has a page of the documentation instead of `host`; undefined where `host` has it itself. */
  documentationOrigin(path: string, host: string | undefined): string | undefined
}

const ofConsole = /^\/(?:console|session)(?:\/|$)/
/** Below `/pay/card/`, a segment names the provider: `/pay/card` and `/pay/card/bank` are paths of the pay page. */
const ofCards = /^\/pay\/card\/[^/]+\//
const ofDocumentation = /^\/docs(?:\/|$)/
/** The pay page, and what sends requests from the documentation. */
const ofOthers = /^\/(?:pay(?:\/|$)|docs\/api(?:\/|$)|docs\/(?:docs|search)\.js$)/

type Origins = Pick<Config, 'API_ORIGIN' | 'CONSOLE_ORIGIN' | 'CARD_PAGE_ORIGIN' | 'ENVIRONMENT'>

export function createHosts(origins: Origins): Hosts {
  const { API_ORIGIN, CONSOLE_ORIGIN: consoleOrigin, CARD_PAGE_ORIGIN, ENVIRONMENT } = origins
  const readHost = (origin: string | undefined) => origin && new URL(origin).host
  const [apiHost, consoleHost, cardHost] = [API_ORIGIN, consoleOrigin, CARD_PAGE_ORIGIN].map(readHost)
  const isHost = (host: string | undefined, of: string | undefined) => of !== undefined && host?.toLowerCase() === of
  const isConsole = (host: string | undefined) => isHost(host, consoleHost)
  return {
    consoleOrigin,
    isConsole,
    serves(path, host) {
      const isCardHost = isHost(host, cardHost)
      if (ofCards.test(path)) return isCardHost
      if (consoleHost === undefined && ofConsole.test(path)) return false
      if (ENVIRONMENT === 'dev') return true
      if (isCardHost) return false
      return isConsole(host) ? !ofOthers.test(path) : !ofConsole.test(path)
    },
    documentationOrigin(path, host) {
      const isElsewhere = ENVIRONMENT !== 'dev' && apiHost !== consoleHost && isConsole(host)
      return isElsewhere && ofDocumentation.test(path) ? API_ORIGIN : undefined
    },
  }
}
