/** The CPU time of a test file: of its worker, and of the processes that the file started and that have ended. */
import { createRequire } from 'node:module'
import { cpuMs } from './process-cpu.ts'

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
