/**
 * Shares one read of a business unit between concurrent callers. A caller gets the result of a read that began at or
 * after its call: the read in progress may precede the change that the caller knows of. So at most one read per unit is
 * in progress and one waits. Undefined, without a read, while `perTenantMax` units of the tenant are read.
 */
export type FreshReads<T> = (tenantId: string, unitId: string, read: () => Promise<T>) => Promise<T> | undefined

const perTenantMax = 4

interface SharedRead<T> {
  readonly current: Promise<T>
  next: Promise<T> | undefined
}

export function createFreshReads<T>(): FreshReads<T> {
  const tenants = new Map<string, Map<string, SharedRead<T>>>()
  const start = (tenantId: string, unitId: string, read: () => Promise<T>): Promise<T> => {
    const reads = tenants.get(tenantId) ?? new Map<string, SharedRead<T>>()
    const shared: SharedRead<T> = { current: read(), next: undefined }
    tenants.set(tenantId, reads.set(unitId, shared))
    const end = () => {
      if (shared.next !== undefined) return
      reads.delete(unitId)
      if (reads.size === 0) tenants.delete(tenantId)
    }
    shared.current.then(end, end)
    return shared.current
  }
  return (tenantId, unitId, read) => {
    const reads = tenants.get(tenantId)
    const shared = reads?.get(unitId)
    if (shared === undefined) {
      return (reads?.size ?? 0) >= perTenantMax ? undefined : start(tenantId, unitId, read)
    }
    if (shared.next === undefined) {
      const startNext = () => start(tenantId, unitId, read)
      shared.next = shared.current.then(startNext, startNext)
    }
    return shared.next
  }
}
