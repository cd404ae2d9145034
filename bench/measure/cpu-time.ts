import { readFileSync } from 'node:fs'

/** CPU time by process id, in ms. */
export type CpuTimes = ReadonlyMap<number, number>

/**
 * User and system time of a process so far, in ms: fields 14 and 15 of `/proc/<pid>/stat`, in ticks of 10 ms. 0 when
 * this machine has no such process.
 */
export function cpuMs(pid: number): number {
  return sumMs(pid, 14)
}

/** User and system time of the children of a process that have ended, in ms: the fields 16 and 17. */
export function endedChildrenCpuMs(pid: number): number {
  return sumMs(pid, 16)
}

/** The sum of two fields of `/proc/<pid>/stat`. The fields after the name begin with the third. */
function sumMs(pid: number, field: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[field - 3]) + Number(fields[field - 2])) * 10
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return 0
    throw error
  }
}

export function cpuTimes(pids: readonly number[]): CpuTimes {
  return new Map(pids.map((pid) => [pid, cpuMs(pid)]))
}

/**
 * CPU time of the processes in `after` since `before`, in ms. A process that ended meanwhile was idle: it is left out.
 */
export function spentMs(before: CpuTimes, after: CpuTimes): number {
  return [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0)
}

export interface Rate {
  readonly perSecond: number
  readonly cpuMicroseconds: number
}

/** Runs `work`, which does `count` things. Returns things per second and the CPU of process `pid` for one thing. */
export async function measureRate(count: number, pid: number, work: () => Promise<void>): Promise<Rate> {
  const from = performance.now()
  const cpuFrom = cpuMs(pid)
  await work()
  const seconds = (performance.now() - from) / 1_000
  return { perSecond: count / seconds, cpuMicroseconds: ((cpuMs(pid) - cpuFrom) * 1_000) / count }
}
