import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { InProgress } from '../src/limits/in-progress.ts'

test('has the values that were added and not removed, in any order of additions and removals', () => {
  const steps = fc.array(fc.oneof(fc.constant('add' as const), fc.nat()), { maxLength: 200 })
  fc.assert(
    fc.property(steps, (taken) => {
      const inProgress = new InProgress<number>()
      const removals = new Map<number, () => void>()
      let added = 0
      for (const step of taken) {
        const values = [...removals.keys()]
        const value = step === 'add' ? undefined : values[step % values.length]
        if (step === 'add') removals.set(added, inProgress.add(added++))
        else if (value !== undefined) {
          removals.get(value)?.()
          removals.delete(value)
        }
        expect([...inProgress].sort((a, b) => a - b)).toEqual([...removals.keys()])
        expect(inProgress.size).toBe(removals.size)
      }
    }),
  )
})
