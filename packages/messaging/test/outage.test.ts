import { expect, test } from '@jest/globals'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { testAddress } from '@payments/devkit/tests/test-address'
import pg from 'pg'
import { PublishError } from '../src/broker/publication.ts'
import { isOutage } from '../src/consume/outage.ts'

async function catchError(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

test('an unreachable database is an outage, also if the error is wrapped', async () => {
  const client = new pg.Client({ host: '127.0.0.1', port: 1, user: 'nobody' })
  const error = await catchError(client.connect())
  expect(isOutage(error)).toBe(true)
  expect(isOutage(new Error('claiming failed', { cause: error }))).toBe(true)
})

test('a database connection closed by the server is an outage', async () => {
  const client = new pg.Client({ connectionString: testAddress('TEST_DATABASE_URL') })
  client.on('error', () => undefined)
  await client.connect()
  const error = await catchError(client.query('SELECT pg_terminate_backend(pg_backend_pid())'))
  expect(isOutage(error)).toBe(true)
})

test('the errors of Prisma for a raw query are outages too', () => {
  const raw = (cause: object) =>
    Object.assign(new Error('Raw query failed'), { code: 'P2010', meta: { driverAdapterError: { cause } } })
  expect(isOutage(raw({ kind: 'DatabaseNotReachable', host: '127.0.0.1', port: 1 }))).toBe(true)
  expect(isOutage(raw({ kind: 'postgres', code: '57P01', originalCode: '57P01' }))).toBe(true)
  expect(isOutage(raw({ kind: 'postgres', code: '22012', originalCode: '22012' }))).toBe(false)
})

test('a schema of another version than the process is an outage: a rollout ends it', async () => {
  const client = new pg.Client({ connectionString: testAddress('TEST_DATABASE_URL') })
  await client.connect()
  const missing = ['SELECT FROM nowhere', 'SELECT absent FROM pg_class', 'SELECT absent()']
  for (const statement of missing) expect(isOutage(await catchError(client.query(statement)))).toBe(true)
  expect(isOutage(await catchError(client.query('SELECT 1 / 0')))).toBe(false)
  await client.end()
})

test('a missing confirm of the broker is an outage', () => {
  expect(isOutage(new PublishError('closed', 'the channel closed'))).toBe(true)
})

test.each([
  ['a bug', new TypeError('x is undefined')],
  ['a violated constraint', Object.assign(new Error('duplicate key'), { code: '23505' })],
  ['Prisma’s word for one', Object.assign(new Error('Unique constraint failed'), { code: 'P2002' })],
  ['something thrown that is no error', 'ECONNREFUSED'],
  ['an error that is its own cause', selfCaused()],
])('%s is no outage', (_what, error) => {
  expect(isOutage(error)).toBe(false)
})

function selfCaused(): Error {
  const error = new Error('round and round')
  error.cause = error
  return error
}

test('a service that cannot be reached is an outage; every other problem is not', () => {
  expect(isOutage(new Problem(commonProblems.service_unavailable, { cause: 'ECONNREFUSED' }))).toBe(true)
  expect(isOutage(new Problem(commonProblems.invalid_request, { cause: new Error('unreadable') }))).toBe(false)
})
