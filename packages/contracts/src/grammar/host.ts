import { domainToUnicode } from 'node:url'
import { z } from 'zod'
import { text } from './field.ts'

/** A host in every URL and every list of hosts: one name, compared in one form. */
const lengthMax = 253
const labels = /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/
/** As the URL parser writes it. */
const addressOfVersion6 = /^\[[0-9a-f:.]+\]$/

/** A label that is no IDNA, such as `xn--a`: parsers of URLs take it or reject it. */
const hasBrokenLabel = (host: string) => /(^|\.)xn--/.test(domainToUnicode(host))
const isName = (host: string) => labels.test(host) && !hasBrokenLabel(host)

const defaultPorts: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 }

/**
 * An exact host name in the form in which the URL standard compares hosts: lower case, IDNA as ASCII, without the dot
 * at the end. Undefined where `written` is no host, or more than one: a wildcard, a port, a scheme, a path.
 */
function normalizeHost(written: string): string | undefined {
  if (!/^[^\s\p{Cc}/\\?#@:[\]%*]+$/u.test(written) || !URL.canParse(`https://${written}`)) return undefined
  const host = new URL(`https://${written}`).hostname.replace(/\.$/, '')
  return host.length <= lengthMax && isName(host) ? host : undefined
}

/** As `normalizeHost`, with `:port` unless the port is 443. */
function normalizeHostAndPort(written: string): string | undefined {
  const [, name = '', port = '443'] = /^([^:]*)(?::(\d{1,5}))?$/.exec(written) ?? []
  const host = normalizeHost(name)
  const number = Number(port)
  if (host === undefined || number < 1 || number > 65_535) return undefined
  return number === 443 ? host : `${host}:${number}`
}

/** Host and port of a URL in the form of `hostAndPort`. Throws where `url` is no URL. */
export function readHostAndPort(url: string): string {
  const { protocol, hostname, port } = new URL(url)
  const number = port === '' ? defaultPorts[protocol] : Number(port)
  return number === 443 ? hostname : `${hostname}:${number ?? ''}`
}

/**
 * Whether the host of a parsed URL is one name or address, and cannot be read as something else elsewhere. The URL
 * parser also takes `*`, `,`, `;` and quotes, which a Content-Security-Policy or a list of hosts reads as more than one
 * host; and a dot at the end, with which one host has two names.
 */
function hasPlainHost({ hostname }: URL): boolean {
  return hostname.length <= lengthMax && (isName(hostname) || addressOfVersion6.test(hostname))
}

const plainHost = 'must have one host name of letters, digits, hyphens and dots'

/**
 * A URL of at most 2048 characters with a plain host. Each use has further rules. A dot at the end of the
 * host, the root of DNS, is dropped.
 */
export const urlText = text(2048)
  .overwrite(withoutLastDot)
  .refine((url) => {
    if (!URL.canParse(url)) return true
    const parsed = new URL(url)
    return parsed.hostname === '' || hasPlainHost(parsed)
  }, plainHost)

/** The text itself where its host has no dot at the end. */
function withoutLastDot(written: string): string {
  if (!/^https?:\/\//i.test(written) || /[\s\p{Cc}\\]/u.test(written) || !URL.canParse(written)) return written
  const url = new URL(written)
  if (!/[^.]\.$/.test(url.hostname)) return written
  url.hostname = url.hostname.slice(0, -1)
  return url.href
}

/** One host and port. A name without a port means the port 443 of https. */
export const hostAndPort = z
  .string()
  .max(lengthMax + ':65535'.length)
  .meta({
    pattern: '^[^\\s/\\\\?#@:\\[\\]%*]+(:[0-9]{1,5})?$',
    examples: ['hooks.example.com', 'hooks.example.com:8443', 'bücher.example.com', 'ID.Example.com.'],
  })
  .transform((written, context): string => {
    const normalized = normalizeHostAndPort(written)
    if (normalized !== undefined) return normalized
    const message = 'must be an exact host name, with `:port` where it is not 443, without scheme, path or wildcard'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
