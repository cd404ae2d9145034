import { cpus, loadavg } from 'node:os'

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5)
}

/** The sample below which `share` of all samples lie, `share` from 0 to 1. NaN without samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function roundTo(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}

/** Node version, processors and load average: the conditions of a measurement. */
export function machineDescription(): string {
  const load = loadavg().map((average) => average.toFixed(1))
  return `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load ${load.join(' ')}`
}

/** Milliseconds on the monotonic clock of this machine, which all its processes share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
