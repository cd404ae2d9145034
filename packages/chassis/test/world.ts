import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { contract } from '@payments/contracts/grammar/contract'
import { commonProblems, defineProblems, Problem } from '@payments/contracts/grammar/problem'
import { z } from 'zod'
import type { AssertionKeys } from '../src/assertion/assertion.ts'
import { createLog, type Log } from '../src/observability/log.ts'
import type { RequestFilter } from '../src/observability/request-filter.ts'
import { createMetrics } from '../src/process/metrics.ts'
import { createAppServer, listen } from '../src/process/serve.ts'
import { createServiceApp, type ServiceAppOptions } from '../src/request/app.ts'
import type { OperatorCalls } from '../src/request/operator-calls.ts'

const problems = defineProblems({
  shelf_full: { status: 409, title: 'The shelf is full', explanation: 'Take a book away first.' },
})

/** A contract with one endpoint of each kind. */
export const library = contract({
  service: 'library',
  description: 'A test service.',
  problems,
  events: {},
  endpoints: {
    echo: {
      method: 'POST',
      path: '/internal/echo',
      audience: 'internal',
      callers: ['reader', 'payctl'],
      summary: 'Return the word, or fail as requested.',
      query: z.strictObject({ shout: z.coerce.number().int().default(0) }),
      body: z.strictObject({
        word: z.string().max(20),
        fail: z.enum(['problem', 'bug', 'undeclared', 'unavailable']).optional(),
      }),
      replies: { 200: z.object({ word: z.string(), shout: z.int() }) },
      problems: ['shelf_full'],
    },
    removeBook: {
      method: 'DELETE',
      path: '/internal/shelves/{shelf}/books/{book}',
      audience: 'internal',
      callers: ['reader', 'payctl'],
      summary: 'Remove a book, now or later.',
      params: z.strictObject({ shelf: z.string(), book: z.string() }),
      replies: { 200: z.object({ book: z.string() }), 202: z.object({ book: z.string() }) },
    },
    count: {
      method: 'GET',
      path: '/internal/count',
      audience: 'internal',
      callers: ['reader', 'payctl'],
      summary: 'Count the books.',
      query: z.strictObject({ since: z.coerce.number().int().optional() }),
      replies: { 200: z.object({ books: z.int() }) },
    },
    blockReader: {
      method: 'PUT',
      path: '/internal/readers/{reader}/block',
      audience: 'internal',
      callers: ['reader', 'payctl'],
      summary: 'Block a reader.',
      params: z.strictObject({ reader: z.string() }),
      replies: { 204: null },
      problems: ['shelf_full'],
      changesAuthorization: true,
    },
  },
})

export const edgeKey = createSecretKey(randomBytes(32))
export const keys: AssertionKeys = new Map([
  ['reader', edgeKey],
  ['library', edgeKey],
  ['payctl', edgeKey],
  ['gateway', edgeKey],
])

/** For tests without a call of an operator. */
const noOperatorCalls: OperatorCalls = {
  begin: () => Promise.reject(new Error('no operator was expected')),
  complete: () => Promise.reject(new Error('no operator was expected')),
}

export function libraryApp({
  log = createLog('library', 'fatal'),
  operatorCalls = noOperatorCalls,
  ...more
}: Partial<Pick<ServiceAppOptions<typeof library>, 'log' | 'operatorCalls' | 'isLogged' | 'leases'>> = {}) {
  return createServiceApp({
    contract: library,
    ...more,
    keys,
    operatorCalls,
    log,
    metrics: createMetrics('library'),
    readiness: {
      required: {
        shelves: async () => null,
        cellar: async () => 'is flooded',
        catalogue: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432')),
      },
      optional: { radio: async () => 'is silent' },
    },
    handlers: {
      echo: async (caller, { body, query }) => {
        if (body.fail === 'problem')
          throw new Problem(problems.shelf_full, { detail: 'No space', retryAfterSeconds: 7 })
        if (body.fail === 'unavailable') {
          throw new Problem(commonProblems.service_unavailable, { detail: 'The shelves are locked' })
        }
        if (body.fail === 'bug') throw new TypeError(`secret of ${caller.service}`)
        return { word: body.word, shout: query.shout, secret: 'must not leave' }
      },
      removeBook: async (_caller, { params }) => ({
        status: params.shelf === 'later' ? (202 as const) : (200 as const),
        body: { book: params.book },
      }),
      count: async () => ({ books: 7 }),
      blockReader: async (_caller, { params }) => {
        if (params.reader === 'problem') throw new Problem(problems.shelf_full)
        if (params.reader === 'bug') throw new TypeError('a bug')
        return undefined
      },
    },
  })
}

export async function startLibrary(log: Log = createLog('library', 'fatal'), isLogged?: RequestFilter) {
  const server = createAppServer(libraryApp({ log, isLogged }))
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  return { server, port, baseUrl: `http://127.0.0.1:${port}` }
}

export const context = () => ({ traceId: randomUUID() })
