import { expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { quarantineMetrics } from '../src/quarantine/open-quarantine.ts'

test('the depth of a quarantine queue is read at each scrape, and fails no other metric', async () => {
  const registry = new Registry()
  const state = { depth: 0, fails: false }
  const depth = async () => {
    if (state.fails) throw new Error('no broker')
    return state.depth
  }
  quarantineMetrics(registry, { name: 'audit.quarantine', depth })
  const sample = async () =>
    /^quarantine_queue_depth\{queue="audit.quarantine"\} (\S+)$/m.exec(await registry.metrics())
  expect((await sample())?.[1]).toBe('0')
  state.depth = 3
  expect((await sample())?.[1]).toBe('3')
  state.fails = true
  expect((await sample())?.[1]).toBe('Nan')
})
