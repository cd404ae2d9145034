import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { rbac } from '@payments/contracts/services/rbac/contract'
import type { RawReply } from '../src/calls/raw-request.ts'
import { acceptsValid, rejectsBroken } from '../src/suites/bad-input.ts'

/** Services with one defect each, which the suite must find. */
const { createRole, readRole } = rbac.endpoints
const unchanged = async () => ['roles 2 as they were']

function rejection(status: number, code: string, pointer?: string): RawReply {
  const traceId = randomUUID()
  const errors = pointer === undefined ? {} : { errors: [{ pointer, detail: 'is wrong' }] }
  const problem = { type: `/problems/${code}`, title: 'No', status, detail: 'No', code, trace_id: traceId, ...errors }
  const headers = { 'content-type': 'application/problem+json', 'trace-id': traceId }
  return { status, headers, text: JSON.stringify(problem) }
}
const always = (reply: () => RawReply) => async () => reply()
const taken = always(() => ({ status: 201, headers: {}, text: '{}' }))

describe('the bad-input suite fails for a service that', () => {
  test('accepts a request with a defect', async () => {
    await expect(rejectsBroken(createRole, taken, unchanged)).rejects.toThrow('POST /v1/rbac/roles: ')
  })

  test('returns a 500', async () => {
    const down = always(() => rejection(500, 'internal_error'))
    await expect(rejectsBroken(createRole, down, unchanged)).rejects.toThrow('seed: ')
    await expect(acceptsValid(createRole, down)).rejects.toThrow('seed: ')
  })

  test('does not name the location', async () => {
    const silent = always(() => rejection(400, 'invalid_request'))
    await expect(rejectsBroken(readRole, silent, unchanged)).rejects.toThrow('role_id in the path')
  })

  test('names another location', async () => {
    const mistaken = always(() => rejection(400, 'invalid_request', '/path/role_ids'))
    await expect(rejectsBroken(readRole, mistaken, unchanged)).rejects.toThrow('role_id in the path')
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
})
