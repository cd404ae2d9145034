/** CPU times of processes, from the kernel. */
import { existsSync, readFileSync } from 'node:fs'

/** The kernel reports times in hundredths of a second on every architecture that Node runs on. */
const tickMs = 10

/** CPU time of the run that belongs to no test file. */
export const besideTests: { readonly what: string; readonly seconds: number }[] = []

/** Of this process and of its children that have ended. Where the kernel has no /proc, these are missing. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  const [, , childrenUser = 0, childrenSystem = 0] = readTicks('self')
  return (user + system) / 1_000 + (childrenUser + childrenSystem) * tickMs
}

/** Of a running process; 0 without /proc. */
export function readCpuMs(pid: number): number {
  const [user = 0, system = 0] = readTicks(String(pid))
  return (user + system) * tickMs
}

/** User and system time of a process, and of its children. */
function readTicks(process: string): number[] {
  const file = `/proc/${process}/stat`
  if (!existsSync(file)) return []
  const fields = readFileSync(file, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number)
  return fields.slice(11, 15)
}
