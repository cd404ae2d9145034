import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { parseRequest } from '@payments/chassis/request/parse-request'
import { requireStrictJson } from '@payments/chassis/request/strict-json'
import { Problem } from '@payments/contracts/grammar/problem'
import { rbac } from '@payments/contracts/services/rbac/contract'
import type { RawReply } from '../src/calls/raw-request.ts'
import type { GeneratedRequest } from '../src/generators/broken-request.ts'
import { listParserBreakages } from '../src/generators/parser-breakage.ts'
import { acceptsValid, rejectsBroken } from '../src/suites/bad-input.ts'

/** Services with one defect each, which the suite must find. */
const { createRole, readRole } = rbac.endpoints
const readUnchangedRows = async () => ['roles 2 as they were']

function rejection(status: number, code: string, pointer?: string): RawReply {
  const traceId = randomUUID()
  const errors = pointer === undefined ? {} : { errors: [{ pointer, detail: 'is wrong' }] }
  const problem = { type: `/problems/${code}`, title: 'No', status, detail: 'No', code, trace_id: traceId, ...errors }
  const headers = { 'content-type': 'application/problem+json', 'trace-id': traceId }
  return { status, headers, text: JSON.stringify(problem) }
}
const strictJson = (body: string): unknown => {
  requireStrictJson(body, () => {})
  return JSON.parse(body)
}
/** createRole in front of its verb: everything but the way in which it reads the body is as it should be. */
const parsing =
  (read: (body: string) => unknown) =>
  async ({ target, body }: GeneratedRequest): Promise<RawReply> => {
    try {
      const query = Object.fromEntries(new URL(target, 'http://service').searchParams)
      parseRequest(createRole, { params: {}, query, body: read(String(body)) })
      return { status: 201, headers: {}, text: '{}' }
    } catch (error) {
      const errors = error instanceof Problem ? error.options.errors : undefined
      return rejection(400, 'invalid_request', errors?.[0]?.pointer ?? '')
    }
  }
const always = (reply: () => RawReply) => async () => reply()
const taken = always(() => ({ status: 201, headers: {}, text: '{}' }))

describe('the bad-input suite fails for a service that', () => {
  test('accepts a request with a defect', async () => {
    await expect(rejectsBroken(createRole, taken, readUnchangedRows)).rejects.toThrow('POST /v1/rbac/roles: ')
  })

  test('returns a 500', async () => {
    const down = always(() => rejection(500, 'internal_error'))
    await expect(rejectsBroken(createRole, down, readUnchangedRows)).rejects.toThrow('seed: ')
    await expect(acceptsValid(createRole, down)).rejects.toThrow('seed: ')
  })

  test('does not name the location', async () => {
    const silent = always(() => rejection(400, 'invalid_request'))
    await expect(rejectsBroken(readRole, silent, readUnchangedRows)).rejects.toThrow('role_id in the path')
  })

  test('names another location', async () => {
    const mistaken = always(() => rejection(400, 'invalid_request', '/path/role_ids'))
    await expect(rejectsBroken(readRole, mistaken, readUnchangedRows)).rejects.toThrow('role_id in the path')
  })

  test('rejects the request after it has written', async () => {
    let rows = 2
    const late = async () => [`roles ${rows++}`]
    const send = async ({ target }: { target: string }) => {
      const [field] = new URL(target, 'http://service').searchParams.keys()
      const escaped = field?.replaceAll('~', '~0').replaceAll('/', '~1')
      return rejection(400, 'invalid_request', escaped === undefined ? '/path/role_id' : `/query/${escaped}`)
    }
    await expect(rejectsBroken(readRole, send, late)).rejects.toThrow('role_id in the path')
  })

  test('returns a problem of another endpoint for a valid request', async () => {
    const foreign = always(() => rejection(409, 'role_in_use'))
    await expect(acceptsValid(createRole, foreign)).rejects.toThrow('seed: ')
  })

  test('reads a body with a parser of its own', async () => {
    const lenient = parsing(JSON.parse)
    await expect(rejectsBroken(createRole, lenient, readUnchangedRows)).rejects.toThrow('a valid member twice')
  })

  test('takes a field that it does not know', async () => {
    const send = parsing((body) => {
      const read = strictJson(body)
      if (typeof read === 'object' && read !== null) Reflect.deleteProperty(read, 'no_such_field')
      return read
    })
    await expect(rejectsBroken(createRole, send, readUnchangedRows)).rejects.toThrow('/no_such_field, unknown')
  })

  test('parses a body that is declared as another type', async () => {
    const untyped = parsing(strictJson)
    const broken = rejectsBroken(createRole, untyped, readUnchangedRows, listParserBreakages(createRole))
    await expect(broken).rejects.toThrow('is declared as "text/plain"')
  })
})
