import { expect, test } from '@jest/globals'
import { pino } from 'pino'
import { client } from '../src/client/client.ts'
import { stopServer } from '../src/process/serve.ts'
import { context, keys, library, startLibrary } from './world.ts'

test('logs one line per request, of a polled endpoint only failures, and counts every request', async () => {
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
    ['count', 400],
    ['echo', 200],
  ])
  expect(counted).toMatch(/operation="count",status="200"\} 1/)
})
