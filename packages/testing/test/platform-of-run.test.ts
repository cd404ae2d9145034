import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, jest, test } from '@jest/globals'
import { root } from '@payments/devkit/machine/profile'
import { startPlatformFor, usesPlatform } from '../src/runner/platform-of-run.ts'
import { besideTests } from '../src/runner/process-cpu.ts'

const files = [{ path: 'one.test.ts' }, { path: 'other.test.ts' }]

test('a file that imports the shared platform uses it, and one with a platform of its own does not', () => {
  const used = ['journey', 'dead-letters'].map((name) => usesPlatform({ path: join(root, 'test', `${name}.test.ts`) }))
  expect(used).toEqual([true, false])
})

test('no two files of the shared platform name the same email address or telephone number', () => {
  const byAddress = new Map<string, string[]>()
  for (const file of globSync('{test,services/*/test,packages/*/test}/**/*.test.ts', { cwd: root })) {
    if (!usesPlatform({ path: join(root, file) })) continue
    const text = readFileSync(join(root, file), 'utf8')
    for (const address of new Set(text.match(/\b[\w.]+@[\w-]+(\.[\w-]+)+\b|\+\d{9,}/g) ?? [])) {
      byAddress.set(address, [...(byAddress.get(address) ?? []), file])
    }
  }
  expect(byAddress.size).toBeGreaterThan(5)
  expect([...byAddress].filter(([, files]) => files.length > 1)).toEqual([])
})

test('the platform stops once, after the last file that uses it, and its CPU time is known', async () => {
  const stop = jest.fn(async () => {})
  const before = besideTests.length
  const platform = await startPlatformFor(files, async () => ({ pids: [process.pid], stop }))
  for (const ended of ['one.test.ts', 'one.test.ts', 'unrelated.test.ts']) platform.fileEnded(ended)
  expect(stop).not.toHaveBeenCalled()
  platform.fileEnded('other.test.ts')
  await platform.stop()
  expect(stop).toHaveBeenCalledTimes(1)
  const [measured] = besideTests.splice(before)
  expect(measured?.seconds).toBeGreaterThanOrEqual(0)
})

test('a run without these files starts no platform', async () => {
  const start = jest.fn(async () => ({ pids: [], stop: async () => {} }))
  await (await startPlatformFor([], start)).stop()
  expect(start).not.toHaveBeenCalled()
})

test('a platform that cannot start is printed, and the run continues', async () => {
  const printed = jest.spyOn(console, 'error').mockImplementation(() => {})
  const platform = await startPlatformFor(files, () => Promise.reject(new Error('no server')))
  await expect(platform.stop()).resolves.toBeUndefined()
  expect(printed.mock.calls[0]?.[1]).toMatchObject({ message: 'no server' })
})
