import { describe, expect, test } from '@jest/globals'
import { createSlots, type Place } from '../src/egress/slots.ts'

/** Work that ends when told. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), opened }
}

const never = () => Promise.reject(new Error('refused'))
const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Enters, which must succeed, and does `work` there. */
const inSlot = (work: () => Promise<void>) => async (place: Place) => {
  expect(await place.enter()).toBeUndefined()
  await work()
}

describe('slots', () => {
  test('no destination has more than its slots in work, however many come at once', async () => {
    const slots = createSlots({ slotsMax: 3, waitMsMax: 10_000 })
    let inWork = 0
    let most = 0
    let done = 0
    const work = inSlot(async () => {
      inWork += 1
      most = Math.max(most, inWork)
      await tick()
      inWork -= 1
      done += 1
    })
    await Promise.all(Array.from({ length: 200 }, () => slots.run('a', work, never)))
    expect([most, done]).toEqual([3, 200])
  })

  test('one destination that hangs leaves the slots of another free', async () => {
    const slots = createSlots({ slotsMax: 1, waitMsMax: 20 })
    const { open, opened } = gate()
    const hanging = slots.run(
      'hanging',
      inSlot(() => opened),
      never,
    )
    let done = false
    const work = inSlot(async () => {
      done = true
    })
    await slots.run('other', work, never)
    expect(done).toBe(true)
    open()
    await hanging
  })

  test('who waits takes the slot the moment it is free', async () => {
    const slots = createSlots({ slotsMax: 1, waitMsMax: 10_000 })
    const { open, opened } = gate()
    const first = slots.run(
      'a',
      inSlot(() => opened),
      never,
    )
    const order: string[] = []
    const others = ['b', 'c'].map((name) =>
      slots.run(
        'a',
        inSlot(async () => {
          order.push(name)
        }),
        never,
      ),
    )
    await tick()
    expect(order).toEqual([])
    open()
    await Promise.all([first, ...others])
    expect(order).toEqual(['b', 'c'])
  })

  test('who is in line and waits in vain is sent away within the bound, with a time', async () => {
    const slots = createSlots({ slotsMax: 1, waitMsMax: 150 })
    const { open, opened } = gate()
    const hanging = slots.run(
      'a',
      inSlot(() => opened),
      never,
    )
    await tick()
    const from = performance.now()
    let awayMs = 0
    await slots.run(
      'a',
      async (place) => {
        awayMs = (await place.enter())?.awayMs ?? 0
      },
      never,
    )
    expect(awayMs).toBeGreaterThanOrEqual(1_000)
    expect(performance.now() - from).toBeLessThan(1_000)
    open()
    await hanging
  })

  test('one that is not known yet has at most 50 in line; one known to be fast has as many as it is likely to serve', async () => {
    const slots = createSlots()
    const crowd = async () => {
      const { open, opened } = gate()
      let refused = 0
      const coming = Array.from({ length: 300 }, () =>
        slots.run(
          'a',
          async (place) => {
            await opened
            await place.enter()
          },
          async () => {
            refused += 1
          },
        ),
      )
      open()
      await Promise.all(coming)
      return refused
    }
    expect(await crowd()).toBe(300 - 10 - 50)
    for (let i = 0; i < 50; i += 1) await slots.run('a', inSlot(tick), never)
    expect(await crowd()).toBe(0)
  })

  test('one that hangs has nobody in line', async () => {
    const slots = createSlots({ slotsMax: 1, waitMsMax: 20 })
    const { open, opened } = gate()
    const hanging = slots.run(
      'a',
      inSlot(() => opened),
      never,
    )
    await tick()
    let refused = 0
    for (let i = 0; i < 100; i += 1) {
      await slots.run('a', never, async () => {
        refused += 1
      })
    }
    expect(refused).toBe(100)
    open()
    await hanging
  })

  test('who is not let in is given a turn, one after the other at the pace of the destination', async () => {
    const slots = createSlots({ slotsMax: 1, waitMsMax: 20 })
    const { open, opened } = gate()
    const hanging = slots.run(
      'a',
      inSlot(() => opened),
      never,
    )
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
    const { open, opened } = gate()
    const first = slots.run(
      'a',
      async (place) => {
        await place.enter()
        place.leave()
        await opened
      },
      never,
    )
    await tick()
    let ran = false
    const work = inSlot(async () => {
      ran = true
    })
    await slots.run('a', work, never)
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
    const slots = createSlots({ slotsMax: 1, waitMsMax: 1_000 })
    const bug = inSlot(() => Promise.reject(new Error('bug')))
    await expect(slots.run('a', bug, never)).rejects.toThrow('bug')
    let ran = false
    const work = inSlot(async () => {
      ran = true
    })
    await slots.run('a', work, never)
    expect(ran).toBe(true)
  })
})
