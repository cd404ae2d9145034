import { z } from 'zod'

const lengthMax = 253
const labels = /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

/**
 * An exact host name in the form in which the URL standard compares hosts: lower case, IDNA as ASCII, without the dot
 * at the end. Undefined where `written` is no host, or more than one: a wildcard, a port, a scheme, a path.
 */
export function normalizedHost(written: string): string | undefined {
  if (!/^[^\s\p{Cc}/\\?#@:[\]%*]+$/u.test(written) || !URL.canParse(`https://${written}`)) return undefined
  const host = new URL(`https://${written}`).hostname.replace(/\.$/, '')
  return host.length <= lengthMax && labels.test(host) ? host : undefined
}

/** The host of a URL in the same form. Throws where `url` is no URL. */
export function hostOfUrl(url: string): string {
  return new URL(url).hostname.replace(/\.+$/, '')
}

export const host = z
  .string()
  .max(lengthMax)
  .meta({
    pattern: '^[^\\s/\\\\?#@:\\[\\]%*]+$',
    examples: ['hooks.example.com', 'bücher.example.com', 'ID.Example.com.'],
  })
  .transform((written, context): string => {
    const normalized = normalizedHost(written)
    if (normalized !== undefined) return normalized
    context.addIssue({ code: 'custom', message: 'must be an exact host name, without scheme, port, path or wildcard' })
    return z.NEVER
  })
