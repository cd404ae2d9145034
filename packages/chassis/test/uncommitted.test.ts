import { expect, test } from '@jest/globals'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { DatabaseUnavailable, toUncommittedError } from '../src/database/errors.ts'

const nested = (cause: object) => ({ code: 'P2010', meta: { driverAdapterError: { cause } } })

test.each<[string, object]>([
  ['a refused connection', { code: 'ECONNREFUSED' }],
  ['a server that shuts down', nested({ kind: 'postgres', originalCode: '57P01' })],
  ['a server that crashed', { code: '57P02' }],
  ['a server that starts', nested({ kind: 'postgres', originalCode: '57P03' })],
  ['a connection exception', { code: '08006' }],
  ['an unreachable server, by Prisma', { code: 'P1001' }],
  ['a closed connection', nested({ kind: 'ConnectionClosed' })],
  ['a closed connection, by pg', { message: 'Connection terminated unexpectedly' }],
])('%s is an unavailable database, with its cause', (_what, error) => {
  const wrapped = toUncommittedError(error)
  expect(wrapped).toBeInstanceOf(DatabaseUnavailable)
  expect((wrapped as Error).cause).toBe(error)
})

test.each<[string, unknown]>([
  ['a duplicate row', { code: '23505' }],
  ['a wrong password', { code: '28P01' }],
  ['a problem', new Problem(commonProblems.service_unavailable, { cause: { code: 'ECONNREFUSED' } })],
  ['something thrown that is no error', 'ECONNREFUSED'],
])('%s stays as it is', (_what, error) => {
  expect(toUncommittedError(error)).toBe(error)
})
