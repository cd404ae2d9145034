import { hash } from 'node:crypto'

export interface PageSources {
  readonly style: string
  readonly scripts: readonly string[]
  /** Whether a script reads the page again. */
  readonly readsItself: boolean
  readonly imageOrigin: string | null
  readonly frameOrigin: string | null
}

/** The Content-Security-Policy of a page: its own style and scripts by hash, one origin each for image and frame. */
export function buildPolicy({ style, scripts, readsItself, imageOrigin, frameOrigin }: PageSources): string {
  return [
    "default-src 'none'",
    `style-src ${hashSource(style)}`,
    `script-src ${scripts.length === 0 ? "'none'" : scripts.map(hashSource).join(' ')}`,
    ...(readsItself ? ["connect-src 'self'"] : []),
    `img-src ${imageOrigin ?? "'none'"}`,
    `frame-src ${frameOrigin ?? "'none'"}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The source of a style or script by its hash. */
export const hashSource = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`

/**
 * The origin of an https URL, or of an http URL on loopback. Null for any other URL, and for a host that would end a
 * source of the policy: the URL standard allows `;`, `,` and `*` in hosts.
 */
export function parseOrigin(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { origin } = new URL(url)
  if (/^https:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?$/.test(origin)) return origin
  return /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(origin) ? origin : null
}
