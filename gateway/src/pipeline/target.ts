import { commonProblems, type FieldError, Problem } from '@payments/contracts/grammar/problem'
import type { Express, Request, Response } from 'express'
import type { RequestContext } from './request-context.ts'

/**
 * Passes every request to the pipeline. Express' router parses the target before it runs a handler. The router
 * responds to a target that its parser rejects (`http://a[`) with its own 404, without an audit record. So the router
 * gets `/` in place of a malformed target, and `originalUrl` has the original target.
 */
export function guardRouter(app: Express): void {
  const guarded = app as unknown as { handle(request: Request, response: Response, done?: () => void): void }
  const { handle } = guarded
  guarded.handle = function (request, response, done) {
    if (!wellFormed.test(request.url)) {
      request.originalUrl = request.url
      request.url = '/'
    }
    handle.call(this, request, response, done)
  }
}

/**
 * Rejects a request target that two parsers may read differently, so that the service runs the operation that the
 * gateway authorized, limited and recorded. Accepts the origin form of RFC 9112 in the characters of RFC 3986: a path
 * of `pchar` segments and one query. For example, Express' parser turns `\` into `/` when the target has a `#`.
 *
 * Throws invalid_request_target.
 */
export function rejectAmbiguousTarget(request: Request, { path }: RequestContext): void {
  const { originalUrl: target } = request
  if (wellFormed.test(target) && !suspect.test(path)) return
  const error = findError(target, path)
  if (error === undefined) return
  const detail = `The ${error.pointer.slice(1)} of the request target ${error.detail}`
  throw new Problem(commonProblems.invalid_request_target, { detail, errors: [error] })
}

const wellFormed = /^\/(?:[\w\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*(?:\?(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*)?$/
/** A path without these has no empty, dot or percent-encoded segments. */
const suspect = /\/\/|\/\.|%/

/** Returns the first error of the target, or undefined. */
function findError(target: string, path: string): FieldError | undefined {
  if (!target.startsWith('/')) {
    return { pointer: '/path', detail: 'must begin with a slash: neither the absolute form nor "*" is accepted' }
  }
  const query = target.slice(path.length)
  const inPath = findCharacterError(path) ?? (query.startsWith('#') ? 'must not have a fragment' : undefined)
  const detail = inPath ?? findSegmentError(path)
  if (detail !== undefined) return { pointer: '/path', detail }
  const inQuery = findCharacterError(query)
  return inQuery === undefined ? undefined : { pointer: '/query', detail: inQuery }
}

function findCharacterError(part: string): string | undefined {
  const [character] = /[^\w\-.~!$&'()*+,;=:@/?%]/.exec(part) ?? []
  if (character === '\\') return 'must not have a backslash'
  if (character === '#') return 'must not have a fragment'
  if (character !== undefined && /[^\x20-\x7e]/.test(character)) {
    return 'must not have control or non-ASCII characters: percent-encode them as UTF-8'
  }
  if (character !== undefined) return `must not have the character ${character}: percent-encode it`
  return /%(?![0-9A-Fa-f]{2})/.test(part) ? 'must have two hexadecimal digits after each "%"' : undefined
}

function findSegmentError(path: string): string | undefined {
  if (path.includes('//')) return 'must not have an empty segment'
  if (/%(?:2f|5c)/i.test(path)) return 'must not have a percent-encoded slash or backslash'
  let decoded: string
  try {
    decoded = decodeURIComponent(path)
  } catch {
    return 'must be valid UTF-8 after percent-decoding'
  }
  if (/\p{Cc}/u.test(decoded)) return 'must not have a percent-encoded control character'
  return /\/\.{1,2}(?:\/|$)/.test(decoded) ? 'must not have dot segments' : undefined
}
