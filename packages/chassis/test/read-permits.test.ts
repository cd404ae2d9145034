import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import type { Response } from 'express'
import { createReadPermits } from '../src/request/read-permits.ts'

const read = { method: 'GET', audience: 'tenant' } as Endpoint
const createResponse = (tenantId: string, closed = false, id = 'one') =>
  ({ closed, locals: { assertion: { tenantId, actor: { type: 'api_key', id } } } }) as unknown as Response

/** Starts works that end when `end` is called. */
function startWorks() {
  const permits = createReadPermits()
  const started: string[] = []
  const ends: (() => void)[] = []
  const start = (tenantId: string, endpoint = read, response = createResponse(tenantId)) =>
    permits.run(endpoint, response, async () => {
      started.push(tenantId)
      await new Promise<void>((resolve) => ends.push(resolve))
    })
  return { start, started, ends }
}

test('six reads of a tenant are in progress, those of another tenant do not wait, and the others follow', async () => {
  const { start, started, ends } = startWorks()
  const works = Array.from({ length: 20 }, (_, n) => start('a', read, createResponse('a', false, `key ${n % 2}`)))
  works.push(start('b'))
  await nextTurn()
  expect([started.filter((one) => one === 'a').length, started.at(-1)]).toEqual([6, 'b'])
  for (let ended = 0; ended < 21; ended += 1) {
    ends[ended]?.()
    await nextTurn()
  }
  await Promise.all(works)
  expect(started).toHaveLength(21)
})

test('four reads of a key are in progress, so those of another key of the tenant do not wait for them', async () => {
  const { start, started, ends } = startWorks()
  const works = Array.from({ length: 30 }, () => start('a'))
  await nextTurn()
  expect(started).toHaveLength(4)
  const other = start('a', read, createResponse('a', false, 'other'))
  await nextTurn()
  expect(started).toHaveLength(5)
  ends[4]?.()
  await other
  for (let ended = 0; ended < 31; ended += 1) {
    ends[ended]?.()
    await nextTurn()
  }
  await Promise.all(works)
})

test('writes, waits, calls of services, and pages take no permit', async () => {
  const { start, started } = startWorks()
  const others = [{ method: 'POST' }, { waits: true }, { audience: 'internal' }, { audience: 'public' }] as const
  for (const other of others) for (let i = 0; i < 10; i += 1) void start('a', { ...read, ...other } as Endpoint)
  await nextTurn()
  expect(started).toHaveLength(40)
})

test('a change that counts rows first takes a permit of the reads', async () => {
  const { start, started, ends } = startWorks()
  const counting = { ...read, method: 'POST', countsRows: true } as Endpoint
  const works = Array.from({ length: 8 }, (_, number) => start('a', number % 2 === 0 ? read : counting))
  await nextTurn()
  expect(started).toHaveLength(4)
  for (let ended = 0; ended < 8; ended += 1) {
    ends[ended]?.()
    await nextTurn()
  }
  await Promise.all(works)
})

test('a read whose client has left while it waited does not begin', async () => {
  const { start, started, ends } = startWorks()
  const works = Array.from({ length: 4 }, () => start('a'))
  works.push(start('a', read, createResponse('a', true)))
  await nextTurn()
  for (const end of ends) end()
  await Promise.all(works)
  expect(started).toHaveLength(4)
})

test('a read beyond the limit of waits is rejected, and a failed one frees its permit', async () => {
  const { start, ends } = startWorks()
  const works = Array.from({ length: 200 }, () => start('a').catch((error: { code?: string }) => error.code))
  expect(await Promise.race(works.slice(4 + 128))).toBe('rate_limited')
  for (let ended = 0; ended < 4 + 128; ended += 1) {
    ends[ended]?.()
    await nextTurn()
  }
  await Promise.all(works)
  const permits = createReadPermits()
  for (let i = 0; i < 20; i += 1) {
    await expect(permits.run(read, createResponse('a'), () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    )
  }
})
