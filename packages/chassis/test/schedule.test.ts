import { expect, test } from '@jest/globals'
import { createLog } from '../src/observability/log.ts'
import { everyInTurns } from '../src/process/schedule.ts'

test('each run continues where the one before ended, at the same place after a failure, and at the start after the end', async () => {
  const begins: (string | null)[] = []
  const results = ['a', new Error('the database is away'), null, 'a']
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const job = everyInTurns(1, 'count', createLog('library', 'silent'), async (after) => {
    begins.push(after)
    const result = results[begins.length - 1] ?? null
    if (begins.length === results.length) end()
    if (result instanceof Error) throw result
    return result
  })
  await ended
  await job.stop()
  expect(begins).toEqual([null, 'a', 'a', null])
})
