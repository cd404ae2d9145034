import type { Contract, Endpoint, PageCookie, PageReply } from '@payments/contracts/grammar/contract'
import type { Response } from 'express'

/** The headers of every page, beside the Content-Security-Policy. No cache, frame or Referer gets the address. */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
} as const

/**
 * Sends the reply of a page. Throws when the contract does not declare its status or a cookie, or Location does not fit
 * the status.
 */
export function sendPage(response: Response, { page, cookies: declared = [] }: Endpoint, reply: PageReply): void {
  const { status, html, policy, location, cookies = [], retryAfterSeconds } = reply
  if (page?.includes(status) !== true) throw new Error(`a page of status ${status} is not in the contract`)
  if ((status === 303) !== (location !== undefined)) throw new Error('a 303, and no other status, has a location')
  response.status(status).set(pageHeaders).set('Content-Security-Policy', policy)
  if (reply.isFramed === true) response.removeHeader('X-Frame-Options')
  if (location !== undefined) response.set('Location', location)
  const foreign = cookies.find(({ name }) => !declared.includes(name))
  if (foreign !== undefined) throw new Error(`the cookie ${foreign.name} is not in the contract`)
  if (cookies.length > 0) response.set('Set-Cookie', cookies.map(encodeCookie))
  if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds))
  response.send(html)
}

/** RFC 6265. The prefix `__Host-` binds a cookie to this host: no other host can set it. */
function encodeCookie({ name, value, maxAgeSeconds, sameSite }: PageCookie): string {
  if (!/^__Host-[\w-]+$/.test(name) || !/^[\w.~-]*$/.test(value)) throw new Error(`the cookie ${name} is malformed`)
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; Secure; HttpOnly; SameSite=${sameSite}`
}

export interface PagePaths {
  /** Whether the path leads to a page, or below one. */
  has(path: string): boolean
  /** The path for logs and records. A path that may contain the secret of a page becomes the template of the page. */
  hide(path: string): string
}

/**
 * The paths of the pages of these contracts. `hide` reads a path leniently: a mistyped link, such as one with an
 * encoded slash or a second one, leads to no page but still contains its secret.
 */
export function createPagePaths(contracts: readonly Contract[]): PagePaths {
  const templates = contracts.flatMap(({ endpoints }) =>
    Object.values(endpoints).flatMap(({ page, path }) => (page === undefined ? [] : [path])),
  )
  const pages = templates
    .map((template) => ({ template, prefix: template.replace(/\{.*/, '') }))
    // `/pay/card/` is below `/pay/`, and names its own template.
    .sort((a, b) => b.prefix.length - a.prefix.length)
  return {
    has: (path) => pages.some(({ prefix }) => path.startsWith(prefix)),
    hide(path) {
      if (pages.length === 0) return path
      const readable = decode(path).replaceAll('\\', '/').toLowerCase()
      return pages.find(({ prefix }) => readable.includes(prefix))?.template ?? path
    },
  }
}

/** Decodes ASCII, also beside malformed percent-encoding. */
function decode(path: string): string {
  return path.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
