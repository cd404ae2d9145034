import type { IncomingMessage } from 'node:http'
import { rawHeaderValues } from '@payments/chassis/request/raw-request'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { sessionCookie } from '@payments/contracts/grammar/session-value'
import type { Hosts } from './hosts.ts'

/**
 * **What it does.** Decides whether the session cookie of a request is its credential. A browser attaches the cookie to
 * requests that other pages cause, so the request must show that the console sent it.
 *
 * **Guarantees.** Each of these alone makes the request one without a credential:
 * - The Host is not the host of CONSOLE_ORIGIN.
 * - `X-Console` is neither `1` nor `idle`. A page of another origin can send the header only after a preflight, which
 *   is rejected.
 * - `Sec-Fetch-Site` is not `same-origin`; or is missing, and `Origin` is not CONSOLE_ORIGIN. Another port of the
 *   host is the same site.
 * - The cookie is sent twice.
 *
 * Authorization beside the cookie is an error, because the two may name different people.
 */
export interface SessionCookie {
  /** Whether the request has a cookie of this name, accepted or not. */
  readonly isPresent: boolean
  /** The one value, accepted or not. */
  readonly value: string | undefined
  /** The value, if the cookie is a credential. */
  readonly credential: string | undefined
  /** Whether a page sent the request by itself: it is no use of the session. */
  readonly isIdle: boolean
}

const none: SessionCookie = { isPresent: false, value: undefined, credential: undefined, isIdle: false }
const idle = 'idle'

export function readSessionCookie(request: IncomingMessage, hosts: Hosts): SessionCookie {
  if (hosts.consoleOrigin === undefined || request.headers.cookie === undefined) return none
  const values = readCookies(request).get(sessionCookie)
  if (values === undefined) return none
  const { headers } = request
  const sentBy = headers['x-console']
  const isScript = sentBy === '1' || sentBy === idle
  const isOfConsole = hosts.isConsole(headers.host) && isScript && isSameOrigin(request, hosts.consoleOrigin)
  const value = values.length === 1 ? values[0] : undefined
  return { isPresent: true, value, credential: isOfConsole ? value : undefined, isIdle: sentBy === idle }
}

/** Throws invalid_header for a session cookie beside Authorization. */
export function rejectTwoCredentials({ headers }: IncomingMessage, { isPresent }: SessionCookie): void {
  if (!isPresent || headers.authorization === undefined) return
  const detail = 'must not be given beside a session cookie'
  throw new Problem(commonProblems.invalid_header, { errors: [{ pointer: '/headers/Authorization', detail }] })
}

/** Older browsers send no Sec-Fetch-Site, but an Origin with each request other than a GET. */
export function isSameOrigin({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined ? headers.origin === origin : site === 'same-origin'
}

/** The values of each cookie by name, in the order in which the request has them (RFC 6265, 5.4). */
export function readCookies(request: IncomingMessage): ReadonlyMap<string, readonly string[]> {
  const cookies = new Map<string, string[]>()
  for (const pair of rawHeaderValues(request, 'cookie').join(';').split(';')) {
    const separator = pair.indexOf('=')
    if (separator === -1) continue
    const name = pair.slice(0, separator).trim()
    const values = cookies.get(name) ?? []
    values.push(pair.slice(separator + 1).trim())
    cookies.set(name, values)
  }
  return cookies
}
