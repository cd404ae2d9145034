/** The CPU time of a test file: of its worker, and of the processes that the file started and that have ended. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** A test result of jest with the CPU time that its file took. */
export interface CpuOfFile {
  readonly cpuMs: number
}

type TestFramework = (...args: readonly unknown[]) => Promise<object>

/** It has no types. */
const require = createRequire(import.meta.url)
const { default: circus } = require('jest-circus/runner') as { default: TestFramework }

/** Awaits nothing, so that it is in no stack of a failure. */
export default function circusWithCpu(...args: readonly unknown[]): Promise<object> {
  const before = cpuMs()
  const withCpu = (result: object): CpuOfFile => ({ ...result, cpuMs: Math.round(cpuMs() - before) })
  return circus(...args).then(withCpu)
}

const stat = '/proc/self/stat'
/** The kernel reports times in hundredths of a second on every architecture that Node runs on. */
const tickMs = 10

/** Where the kernel has no /proc, processes that ended are missing. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  const own = (user + system) / 1_000
  if (!existsSync(stat)) return own
  const fields = readFileSync(stat, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number)
  const [childrenUser = 0, childrenSystem = 0] = fields.slice(13, 15)
  return own + (childrenUser + childrenSystem) * tickMs
}
