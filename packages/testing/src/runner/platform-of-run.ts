/** The shared platform during a run: its start, its end and its CPU time. */
import { readFileSync } from 'node:fs'
import type { Test } from 'jest-runner'
import type { SharedPlatformOwner } from '../platform/shared-platform.ts'
import { besideTests, readCpuMs } from './process-cpu.ts'

const importOfPlatform = "from '@payments/testing/platform/shared-platform'"

export const usesPlatform = ({ path }: Pick<Test, 'path'>): boolean =>
  readFileSync(path, 'utf8').includes(importOfPlatform)

export interface PlatformOfRun {
  /** Call it at the end of each test file. After the last file that uses the platform, it stops the platform. */
  readonly fileEnded: (path: string) => void
  readonly stop: () => Promise<void>
}

/** Starts the platform for these files. Where it cannot start, it prints why, and the files fail. */
export async function startPlatformFor(
  tests: readonly Pick<Test, 'path'>[],
  start = startPlatform,
): Promise<PlatformOfRun> {
  const left = new Set(tests.map(({ path }) => path))
  const owner = left.size === 0 ? undefined : await printingErrors(start)
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= owner === undefined ? Promise.resolve() : end(owner)
    return stopping
  }
  return {
    fileEnded: (path) => {
      // `stop` at the end of the run throws its error.
      if (left.delete(path) && left.size === 0) stop().catch(() => {})
    },
    stop,
  }
}

/** Its modules load for a run that needs them. */
async function startPlatform(): Promise<SharedPlatformOwner> {
  const { startSharedPlatform } = await import('../platform/shared-platform.ts')
  return startSharedPlatform()
}

async function printingErrors<T>(start: () => Promise<T>): Promise<T | undefined> {
  try {
    return await start()
  } catch (error) {
    console.error('The shared platform could not start.', error)
    return undefined
  }
}

async function end(owner: SharedPlatformOwner): Promise<void> {
  const ms = owner.pids.reduce((sum, pid) => sum + readCpuMs(pid), 0)
  besideTests.push({ what: 'the shared platform', seconds: ms / 1_000 })
  await owner.stop()
}
