/** Milliseconds on the monotonic clock of this machine, which all its processes share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
