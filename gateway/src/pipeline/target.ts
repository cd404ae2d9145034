import { commonProblems, type FieldError, Problem } from '@payments/contracts/problem'
import type { Express, Request, Response } from 'express'
import type { Exchange } from './request-context.ts'

/**
 * Hands every request to the pipeline. Express' router parses the target before it runs any handler, and answers a target
 * that its parser rejects (`http://a[`) with a 404 of its own, past the audit. So the router is given `/` in place of a
 * malformed target; `originalUrl` keeps the target as it came.
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
 * Refuses a request target that two parsers may read differently, so that the service runs what the gateway authorized,
 * limited and recorded. Accepted is the origin form of RFC 9112 in the characters of RFC 3986: a path of `pchar` segments
 * and one query. Express' own parser, for one, turns `\` into `/` as soon as the target has a `#`.
 *
 * Throws invalid_request_target.
 */
export function refuseAmbiguousTarget(request: Request, { path }: Exchange): void {
  const { originalUrl: target } = request
  if (wellFormed.test(target) && !suspect.test(path)) return
  const error = faultOf(target, path)
  if (error === undefined) return
  const detail = `The ${error.pointer.slice(1)} of the request target ${error.detail}`
  throw new Problem(commonProblems.invalid_request_target, { detail, errors: [error] })
}

const wellFormed = /^\/(?:[\w\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*(?:\?(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*)?$/
/** A path without any of these has no empty, dot or escaped segments. */
const suspect = /\/\/|\/\.|%/

/** The first thing that is wrong with the target; undefined where nothing is. */
function faultOf(target: string, path: string): FieldError | undefined {
  if (!target.startsWith('/')) {
    return { pointer: '/path', detail: 'must begin with a slash: neither the absolute form nor "*" is accepted' }
  }
  const query = target.slice(path.length)
  const inPath = faultOfCharacters(path) ?? (query.startsWith('#') ? 'must not have a fragment' : undefined)
  const detail = inPath ?? faultOfSegments(path)
  if (detail !== undefined) return { pointer: '/path', detail }
  const inQuery = faultOfCharacters(query)
  return inQuery === undefined ? undefined : { pointer: '/query', detail: inQuery }
}

function faultOfCharacters(part: string): string | undefined {
  const [character] = /[^\w\-.~!$&'()*+,;=:@/?%]/.exec(part) ?? []
  if (character === '\\') return 'must not have a backslash'
  if (character === '#') return 'must not have a fragment'
  if (character !== undefined && /[^\x20-\x7e]/.test(character)) {
    return 'must not have control or non-ASCII characters: percent-encode them as UTF-8'
  }
  if (character !== undefined) return `must not have the character ${character}: percent-encode it`
  return /%(?![0-9A-Fa-f]{2})/.test(part) ? 'must have two hexadecimal digits after each "%"' : undefined
}

function faultOfSegments(path: string): string | undefined {
  if (path.includes('//')) return 'must not have an empty segment'
  if (/%(?:2f|5c)/i.test(path)) return 'must not have a percent-encoded slash or backslash'
  let decoded: string
  try {
    decoded = decodeURIComponent(path)
  } catch {
    return 'must be valid UTF-8 where it is percent-encoded'
  }
  if (/\p{Cc}/u.test(decoded)) return 'must not have a percent-encoded control character'
  return /\/\.{1,2}(?:\/|$)/.test(decoded) ? 'must not have dot segments' : undefined
}
