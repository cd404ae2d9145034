import { createLoopLoad } from './loop-load.ts'

/** Above it, more work at once ends no earlier: each step waits for the event loop. */
const busyLoad = 0.4
/** How long a tenant counts after a request. */
const presentMs = 1_000

/** Whether tenants contend for the event loop of this process. */
export interface Contention {
  /** The tenant uses the process now. */
  note(tenantId: string): void
  /** The event loop is busy, and at least two tenants used the process within a second. */
  isPresent(): boolean
}

export function createContention(loopLoad: () => number = createLoopLoad()): Contention {
  let last = ''
  let otherAt = Number.NEGATIVE_INFINITY
  return {
    note: (tenantId) => {
      if (last !== '' && tenantId !== last) otherAt = performance.now()
      last = tenantId
    },
    isPresent: () => performance.now() - otherAt < presentMs && loopLoad() > busyLoad,
  }
}
