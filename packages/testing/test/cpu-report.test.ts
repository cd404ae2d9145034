import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import CpuReport from '../src/runner/cpu-report.ts'

/** A file without the marker. */
const testFilePath = fileURLToPath(import.meta.url)
const long = { testFilePath, cpuMs: 61_000 }
const short = { testFilePath, cpuMs: 1_000 }

const createReport = (...results: readonly (typeof long)[]) => {
  const report = new CpuReport({ rootDir: dirname(testFilePath) } as ConstructorParameters<typeof CpuReport>[0])
  for (const result of results) report.onTestResult({}, result)
  return report
}

test('a file beyond the limit fails a run of several files, and no run of one file', () => {
  expect(createReport(long, short).getLastError()?.message).toContain('cpu-report.test.ts (61 s)')
  expect(createReport(long).getLastError()).toBe(undefined)
  expect(createReport(short, short).getLastError()).toBe(undefined)
})
