import { describe, expect, test } from '@jest/globals'
import { createSlots } from '../src/egress/slots.ts'

/** Work that ends when told. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), work: () => opened }
}

const never = () => Promise.reject(new Error('refused'))

describe('slots', () => {
  test('no destination has more than its slots in work, however many come at once', async () => {
    const slots = createSlots({ slotsMax: 3, waitMsMax: 10_000 })
    let inWork = 0
    let most = 0
    const work = async () => {
      inWork += 1
      most = Math.max(most, inWork)
      await new Promise((resolve) => setImmediate(resolve))
      inWork -= 1
    }
    await Promise.all(Array.from({ length: 200 }, () => slots.run('a', work, never)))
    expect(most).toBe(3)
  })

  test('one destination that hangs leaves the slots of another free', async () => {
    const slots = createSlots({ slotsMax: 1, waitMsMax: 20 })
    const { open, work } = gate()
    const hanging = slots.run('hanging', work, never)
    let done = false
    await slots.run(
      'other',
      async () => {
        done = true
      },
      never,
    )
    expect(done).toBe(true)
    open()
    await hanging
  })

  test('who waits in vain is given a turn, one after the other at the pace of the destination', async () => {
    const slots = createSlots({ slotsMax: 1, waitMsMax: 20 })
    const { open, work } = gate()
    const hanging = slots.run('a', work, never)
    const waits: number[] = []
    for (let i = 0; i < 3_000; i += 1) {
      await slots.run('a', never, async (waitMs) => {
        waits.push(waitMs)
      })
    }
    expect(waits).toHaveLength(3_000)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000)
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_000)
    expect(waits[100]).toBeGreaterThan((waits[0] ?? 0) + 1_000)
    expect(waits.at(-1)).toBeGreaterThan(50_000)
    open()
    await hanging
  })

  test('a slot given back early is free while the work goes on', async () => {
    const slots = createSlots({ slotsMax: 1, waitMsMax: 0 })
    const { open, work } = gate()
    const first = slots.run(
      'a',
      (giveBack) => {
        giveBack()
        return work()
      },
      never,
    )
    await new Promise((resolve) => setImmediate(resolve))
    let ran = false
    await slots.run(
      'a',
      async () => {
        ran = true
      },
      never,
    )
    expect(ran).toBe(true)
    open()
    await first
  })

  test('remembers a bounded number of destinations', async () => {
    const slots = createSlots()
    for (let i = 0; i < 25_000; i += 1) await slots.run(String(i), async () => {}, never)
    expect(slots.size()).toBeLessThanOrEqual(10_000)
  })

  test('work that throws gives its slot back', async () => {
    const slots = createSlots({ slotsMax: 1 })
    await expect(slots.run('a', () => Promise.reject(new Error('bug')), never)).rejects.toThrow('bug')
    let ran = false
    await slots.run(
      'a',
      async () => {
        ran = true
      },
      never,
    )
    expect(ran).toBe(true)
  })
})
