import { expect, test } from '@jest/globals'
import { pino } from 'pino'
import { newId } from '../src/base/id.ts'
import { client } from '../src/client/client.ts'
import { requestFilter } from '../src/observability/request-filter.ts'
import { stopServer } from '../src/process/serve.ts'
import { context, keys, library, startLibrary } from './world.ts'

test('logs one line per request by default, and counts every request', async () => {
  const lines: { operation?: string; status?: number }[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const { server, baseUrl } = await startLibrary(log)
  const calls = client(library, { self: 'reader', baseUrl, keys, timeoutMs: 20_000 })
  await calls.count(context(), {})
  await calls.count(context(), { query: { since: 1.5 } }).catch(() => undefined)
  await calls.echo(context(), { body: { word: 'x' } })
  const counted = await (await fetch(`${baseUrl}/metrics`)).text()
  await stopServer(server, 1_000)
  const requests = lines.filter(({ operation }) => operation === 'count' || operation === 'echo')
  expect(requests.map(({ operation, status }) => [operation, status])).toEqual([
    ['count', 200],
    ['count', 400],
    ['echo', 200],
  ])
  expect(counted).toMatch(/operation="count",status="200"\} 1/)
})

test('logs failed requests and changes of authorization, and of the others those that the filter selects', async () => {
  const lines: { operation?: string; status?: number; trace_id?: string }[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const { server, baseUrl } = await startLibrary(log, requestFilter(0))
  const calls = client(library, { self: 'reader', baseUrl, keys, timeoutMs: 20_000 })
  await calls.echo(context(), { body: { word: 'x' } })
  await calls.echo(context(), { body: { word: 'x', fail: 'problem' } }).catch(() => undefined)
  await calls.blockReader(context(), { params: { reader: 'ada' } })
  await stopServer(server, 1_000)
  expect(lines.flatMap(({ operation, status }) => (operation === undefined ? [] : [[operation, status]]))).toEqual([
    ['echo', 409],
    ['blockReader', 204],
  ])
})

test('the filter selects requests that failed, were slow or change authorization, and a share of the others', () => {
  const traceIds = Array.from({ length: 20_000 }, newId)
  const selects = (share: number, more: Partial<Parameters<ReturnType<typeof requestFilter>>[0]> = {}) => {
    const filter = requestFilter(share)
    return traceIds.filter((traceId) => filter({ traceId, status: 200, durationMs: 1, ...more }))
  }
  const [tenth, twentieth] = [selects(0.1), selects(0.05)]
  expect([selects(0).length, selects(1).length]).toEqual([0, traceIds.length])
  expect(tenth.length / traceIds.length).toBeCloseTo(0.1, 1)
  expect(tenth).toEqual(expect.arrayContaining(twentieth))
  const always = [{ status: 400 }, { durationMs: 1_000 }, { changesAuthorization: true }, { operator: 'ada' }]
  expect(always.map((more) => selects(0, more).length)).toEqual(always.map(() => traceIds.length))
})
