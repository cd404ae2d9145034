import type { Endpoint, RequestOf } from '@payments/contracts/grammar/contract'
import { commonProblems, type FieldError, Problem } from '@payments/contracts/grammar/problem'
import { z } from 'zod'
import '../base/error-map.ts'
import { findOversized } from './oversized.ts'
import { escapePointer } from './strict-json.ts'

/**
 * Parses the parts of a request by its contract. Throws one invalid_request that names every invalid field. A page
 * ignores unknown query parameters: mail programs append their own to links.
 */
export function parseRequest(
  endpoint: Endpoint,
  request: { params: unknown; query: object; body: unknown },
): RequestOf<Endpoint> {
  const oversized = endpoint.body === undefined ? null : findOversized(endpoint.body, request.body)
  if (oversized !== null) throw new Problem(commonProblems.invalid_request, { errors: [oversized] })
  const errors: FieldError[] = []
  const parse = (schema: z.ZodType | undefined, value: unknown, prefix: string): unknown => {
    const parsed = schema?.safeParse(value)
    if (parsed?.success === false)
      errors.push(...fieldErrors(parsed.error, prefix).map((error) => ofRepeated(request.query, error)))
    return parsed?.data
  }
  const parsed = {
    params: parse(endpoint.params, request.params, '/path'),
    query: parse(endpoint.query ?? (endpoint.page === undefined ? noQuery : undefined), request.query, '/query'),
    body: parse(endpoint.body, request.body, ''),
  }
  // In a record, zod silently drops a key of this name; in an object, it reports the key.
  const named = new Set(errors.map(({ pointer }) => pointer))
  errors.push(...prototypeKeys(request.body).filter(({ pointer }) => !named.has(pointer)))
  if (errors.length > 0) throw new Problem(commonProblems.invalid_request, { errors: errors.slice(0, errorsMax) })
  return { ...parsed, raw: undefined } as RequestOf<Endpoint>
}

/** Finds a field named `__proto__`, which is never allowed, in a body. */
function prototypeKeys(body: unknown): FieldError[] {
  const pending = [{ value: body, pointer: '' }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    for (const [key, value] of Object.entries(next.value)) {
      const pointer = `${next.pointer}/${escapePointer(key)}`
      if (key === '__proto__') return [{ pointer, detail: 'is not a known field' }]
      pending.push({ value, pointer })
    }
  }
  return []
}

/** Whether a number exceeds the safe integers, and the next issue names the narrower bound of the same field. */
function isOfSafeIntegers(issue: z.core.$ZodIssue, next: z.core.$ZodIssue | undefined): boolean {
  return 'note' in issue && issue.code === next?.code && issue.path.join('/') === next.path.join('/')
}

/** Only a parameter that is given more than once is an array. */
function ofRepeated(query: object, error: FieldError): FieldError {
  const [, part, name = ''] = error.pointer.split('/')
  const isRepeated = part === 'query' && Array.isArray((query as Record<string, unknown>)[name])
  return isRepeated ? { ...error, detail: 'must be given once' } : error
}

const noQuery = z.strictObject({})
const errorsMax = 50

function fieldErrors(error: z.ZodError, prefix: string): FieldError[] {
  const issues = error.issues.filter((issue, at, all) => !isOfSafeIntegers(issue, all[at + 1]))
  return issues.slice(0, errorsMax).flatMap((issue): FieldError[] => {
    const path = issue.path.map((part) => `/${escapePointer(String(part))}`).join('')
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, errorsMax).map((key) => ({
        pointer: `${prefix}${path}/${escapePointer(key).slice(0, 200)}`,
        detail: 'is not a known field',
      }))
    }
    return [{ pointer: `${prefix}${path}`, detail: issue.message }]
  })
}
