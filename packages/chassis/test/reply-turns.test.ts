import { expect, test } from '@jest/globals'
import { createReplyTurns } from '../src/request/reply-turns.ts'

function hold(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('after each long encoding the event loop turns, and tenants take turns', async () => {
  const turns = createReplyTurns()
  let loops = 0
  const count = () => {
    loops += 1
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const encoded: { tenant: string; loop: number }[] = []
  const encode = (tenant: string) =>
    turns.run(tenant, () => {
      encoded.push({ tenant, loop: loops })
      hold(3)
    })
  await Promise.all([...['a', 'a', 'a', 'a', 'a'].map(encode), encode('b'), encode('b')])
  clearImmediate(counting)
  expect(new Set(encoded.map(({ loop }) => loop)).size).toBe(7)
  expect(encoded.map(({ tenant }) => tenant).lastIndexOf('b')).toBeLessThanOrEqual(4)
})

test('no reply is rejected: beyond the limit of waits it is encoded without a turn', async () => {
  const turns = createReplyTurns()
  let count = 0
  const encode = () => {
    count += 1
    if (count === 1) hold(3)
  }
  await Promise.all(Array.from({ length: 2_000 }, () => turns.run('tenant', encode)))
  expect(count).toBe(2_000)
})

test('a failed encoding rejects, and the next one has its turn', async () => {
  const turns = createReplyTurns()
  await expect(turns.run('tenant', () => JSON.parse('{'))).rejects.toThrow(SyntaxError)
  let isEncoded = false
  await turns.run('other', () => {
    isEncoded = true
  })
  expect(isEncoded).toBe(true)
})
