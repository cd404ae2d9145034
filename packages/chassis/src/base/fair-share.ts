export interface FairShare {
  /** Permits that the tenant can take now. */
  free(tenantId: string): number
  /** Takes a permit. False when the tenant has its share. */
  take(tenantId: string): boolean
  /** Returns a permit that was taken. */
  release(tenantId: string): void
}

/**
 * **What it does.** Divides `capacity` permits of this process between tenants. Nothing waits: the caller decides about
 * work without a permit.
 *
 * **Guarantees.**
 * 1. At most `capacity` permits are taken.
 * 2. A tenant takes a permit while it has fewer than are free. So one tenant has at most half of them, and n tenants
 *    that want more have `capacity / (n + 1)` each, while as many are free for the next tenant.
 *
 * **Not guaranteed.** That processes share the permits: each divides its own.
 */
export function createFairShare(capacity: number): FairShare {
  const taken = new Map<string, number>()
  let total = 0
  const free = (tenantId: string) => Math.max(0, Math.ceil((capacity - total - (taken.get(tenantId) ?? 0)) / 2))
  return {
    free,
    take: (tenantId) => {
      if (free(tenantId) === 0) return false
      taken.set(tenantId, (taken.get(tenantId) ?? 0) + 1)
      total += 1
      return true
    },
    release: (tenantId) => {
      const count = taken.get(tenantId)
      if (count === undefined) throw new Error('no permit of the tenant is taken')
      if (count === 1) taken.delete(tenantId)
      else taken.set(tenantId, count - 1)
      total -= 1
    },
  }
}
