import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { List } from '../src/client.ts'
import { operations } from '../src/generated/operations.ts'
import { type Gateway, gateway, json, problem } from './gateway.ts'

let one: Gateway

beforeEach(async () => {
  one = await gateway()
})

afterEach(() => one.close())

const page = (ids: readonly string[], next: string | null) =>
  json(200, { data: ids.map((id) => ({ id })), next_cursor: next })

async function readIds(list: AsyncIterable<unknown>): Promise<string[]> {
  const ids: string[] = []
  for await (const item of list) ids.push((item as { id: string }).id)
  return ids
}

test('yields the items of every page, and keeps the filters', async () => {
  one.reply(page(['a', 'b'], 'c1'), page([], 'c2'), page(['c'], null))
  expect(await readIds(one.client.listTransactions({ status: 'captured', limit: 2 }))).toEqual(['a', 'b', 'c'])
  expect(one.server.received.map(({ path }) => path.split('?')[1])).toEqual([
    'status=captured&limit=2',
    'status=captured&limit=2&cursor=c1',
    'status=captured&limit=2&cursor=c2',
  ])
})

test('a list sends nothing before it is read, and no page that the caller does not reach', async () => {
  one.reply(page(['a', 'b'], 'c1'), page(['c'], null))
  const list = one.client.listTransactions()
  expect(one.server.received).toEqual([])
  for await (const { id } of list) if (id === 'b') break
  expect(one.server.received).toHaveLength(1)
})

test('starts at the given cursor; a second iteration starts there again', async () => {
  one.reply(page(['a'], null))
  const list = one.client.listTransactions({ cursor: 'c7' })
  expect([...(await readIds(list)), ...(await readIds(list))]).toEqual(['a', 'a'])
  expect(one.server.received.map(({ path }) => path)).toEqual([
    '/v1/payment-proxy/transactions?cursor=c7',
    '/v1/payment-proxy/transactions?cursor=c7',
  ])
})

test('page reads one page', async () => {
  one.reply(page(['a'], 'c1'))
  expect(await one.client.listKeys().page()).toEqual({ data: [{ id: 'a' }], next_cursor: 'c1' })
  expect(one.server.received).toHaveLength(1)
})

test('an iteration ends with an error after pagesMax pages, which has the cursor', async () => {
  one.reply(page(['a'], 'again'))
  const ids = readIds(one.client.listTransactions({}, { pagesMax: 3 }))
  await expect(ids).rejects.toMatchObject({ name: 'PageLimitError', cursor: 'again' })
  expect(one.server.received).toHaveLength(3)
  expect(() => one.client.listTransactions({}, { pagesMax: 0 })).toThrow('pagesMax must')
})

test('a page is repeated like any request', async () => {
  one.reply(page(['a'], 'c1'), problem(503, 'service_unavailable'), page(['b'], null))
  expect(await readIds(one.client.listRoles())).toEqual(['a', 'b'])
})

const lists = Object.entries(operations).filter(([, { list }]) => list)

test('iterates over every list', async () => {
  expect(lists.length).toBeGreaterThan(20)
  for (const [name, { path }] of lists) {
    one.reply(page(['a'], 'c1'), page(['b'], null))
    const args = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => [parameter, 'x']))
    const method = one.client[name as 'listKeys'] as (args: object) => List<unknown>
    expect([name, await readIds(method(args))]).toEqual([name, ['a', 'b']])
  }
})
