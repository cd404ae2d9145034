import type { Config } from '../config.ts'

/**
 * **What it does.** Decides by the Host of a request which pages the gateway serves. The console and the sign-in have
 * the host of CONSOLE_ORIGIN. Pages that run other scripts, or show what tenants wrote, are served on the other hosts:
 * a fault of theirs cannot send requests with the cookie of a session.
 *
 * **Guarantees.**
 * - Without CONSOLE_ORIGIN, no request reaches `/console` or `/session`.
 * - Outside dev, each host serves its own pages only. In dev, one host serves all.
 *
 * **Not guaranteed.** That a proxy passes on the Host of the browser.
 */
export interface Hosts {
  /** The origin of the console; undefined when no one can sign in. */
  readonly consoleOrigin: string | undefined
  isConsole(host: string | undefined): boolean
  serves(path: string, host: string | undefined): boolean
}

const ofConsole = /^\/(?:console|session)(?:\/|$)/
/** The pay page, and what sends requests from the documentation. */
const ofOthers = /^\/(?:pay(?:\/|$)|docs\/api(?:\/|$)|docs\/(?:docs|search)\.js$)/

export function createHosts(config: Pick<Config, 'CONSOLE_ORIGIN' | 'ENVIRONMENT'>): Hosts {
  const { CONSOLE_ORIGIN: consoleOrigin, ENVIRONMENT } = config
  const consoleHost = consoleOrigin === undefined ? undefined : new URL(consoleOrigin).host
  const isConsole = (host: string | undefined) => host !== undefined && host.toLowerCase() === consoleHost
  return {
    consoleOrigin,
    isConsole,
    serves(path, host) {
      if (consoleHost === undefined) return !ofConsole.test(path)
      if (ENVIRONMENT === 'dev') return true
      return isConsole(host) ? !ofOthers.test(path) : !ofConsole.test(path)
    },
  }
}
