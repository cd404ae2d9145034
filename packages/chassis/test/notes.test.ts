import { expect, test } from '@jest/globals'
import { createNotes } from '../src/base/notes.ts'

/** Notes of numbers, which add up; a write fails while `isDown`. */
function numbers({ notesMax = 100, perWriteMax = 100 } = {}) {
  const state = { isDown: false, written: [] as (readonly number[])[], during: () => {} }
  const write = async (notes: readonly number[]) => {
    state.during()
    if (state.isDown) throw new Error('down')
    state.written.push(notes)
  }
  return { state, ...createNotes<number>({ write, merge: (earlier, later) => earlier + later, notesMax, perWriteMax }) }
}

test('a flush writes one note for each key, in writes of a bounded size, and a second flush nothing', async () => {
  const { state, add, flush } = numbers({ perWriteMax: 2 })
  for (const [key, note] of Object.entries({ a: 1, b: 2, c: 3 })) add(key, note)
  add('a', 10)
  await flush()
  expect(state.written).toEqual([[11, 2], [3]])
  await flush()
  expect(state.written).toHaveLength(2)
})

test('the notes of a failed write, and of those after it, are merged with later ones and written by the next', async () => {
  const { state, add, flush } = numbers({ perWriteMax: 1 })
  add('a', 1)
  add('b', 2)
  state.during = () => {
    state.during = () => {
      state.isDown = true
      add('b', 20)
      add('c', 30)
    }
  }
  await expect(flush()).rejects.toThrow('down')
  Object.assign(state, { isDown: false, during: () => {} })
  await flush()
  expect(state.written).toEqual([[1], [22], [30]])
})

test('beyond the limit, notes of further keys are lost, and those of known keys are merged', async () => {
  const { state, add, flush } = numbers({ notesMax: 2 })
  for (const key of ['a', 'b', 'c', 'a']) add(key, 1)
  await flush()
  expect(state.written).toEqual([[2, 1]])
})

test('a watcher is called after each note until the end of its watch', () => {
  const { add, watch } = numbers()
  let calls = 0
  const unwatch = watch(() => {
    calls += 1
  })
  add('a', 1)
  add('a', 1)
  unwatch()
  add('a', 1)
  expect(calls).toBe(2)
})
