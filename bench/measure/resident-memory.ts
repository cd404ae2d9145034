import { readFileSync } from 'node:fs'

export interface ResidentMemory {
  readonly rssMb: number
  /** Since the start of the process. */
  readonly peakMb: number
}

/** The resident set of a process as the kernel reports it. Throws when the process has ended. */
export function residentMemory(pid: number): ResidentMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
  return { rssMb: mb('VmRSS'), peakMb: mb('VmHWM') }
}
