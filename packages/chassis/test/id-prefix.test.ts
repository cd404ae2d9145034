import { afterEach, expect, jest, test } from '@jest/globals'
import { idsThatBeginWith, newId, timeOfId } from '../src/base/id.ts'

afterEach(() => {
  jest.restoreAllMocks()
})

test.each([
  ['01a2', '01a20000-0000-0000-0000-000000000000', '01a2ffff-ffff-ffff-ffff-ffffffffffff'],
  ['01A21A2C-a', '01a21a2c-a000-0000-0000-000000000000', '01a21a2c-afff-ffff-ffff-ffffffffffff'],
  [
    '01a21a2c-aad1-777f-8cad-d8384a3eca90',
    '01a21a2c-aad1-777f-8cad-d8384a3eca90',
    '01a21a2c-aad1-777f-8cad-d8384a3eca90',
  ],
])('%s begins the ids from %s to %s', (text, first, last) => {
  expect(idsThatBeginWith(text)).toEqual({ first, last })
})

test.each(['', '-', 'order-1', 'g', `${'0'.repeat(33)}`])('%j begins no id', (text) => {
  expect(idsThatBeginWith(text)).toBeNull()
})

/** Later than the ids of other tests in this process, which may have moved the clock. */
const future = () => Date.now() + 3_600_000

test('new ids are UUIDs of version 7 with the time, each once, and in the order of their creation', () => {
  const now = future()
  jest.spyOn(Date, 'now').mockReturnValue(now)
  const ids = Array.from({ length: 100_000 }, newId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  expect(ids.filter((id) => !form.test(id))).toEqual([])
  expect(new Set(ids.map((id) => timeOfId(id).getTime()))).toEqual(new Set([now]))
})

test('ids keep their order while the clock is a second behind, and follow a clock that is put back further', () => {
  const now = future()
  const clock = jest.spyOn(Date, 'now').mockReturnValue(now)
  const first = newId()
  clock.mockReturnValue(now - 1_000)
  const second = newId()
  expect([timeOfId(second).getTime(), second > first]).toEqual([now, true])
  clock.mockReturnValue(now - 1_001)
  expect(timeOfId(newId()).getTime()).toBe(now - 1_001)
})

test('no random part of an id is that of another', () => {
  const tails = Array.from({ length: 10_000 }, () => newId().slice(-10))
  expect(new Set(tails).size).toBe(tails.length)
})
