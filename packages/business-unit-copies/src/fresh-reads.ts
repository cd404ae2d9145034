/**
 * Shares one read of a business unit between concurrent callers. A caller gets the result of a read that began at or
 * after its call: the read in progress may precede the change that the caller knows of. So at most one read per unit is
 * in progress and one waits. Undefined, without a read, while `perTenantMax` units of the tenant are read.
 */
export type FreshReads<T> = (tenantId: string, unitId: string, read: () => Promise<T>) => Promise<T> | undefined

const perTenantMax = 4

interface Pending<T> {
  readonly current: Promise<T>
  next: Promise<T> | undefined
}

export function createFreshReads<T>(): FreshReads<T> {
  const tenants = new Map<string, Map<string, Pending<T>>>()
  const start = (tenantId: string, unitId: string, read: () => Promise<T>): Promise<T> => {
    const reads = tenants.get(tenantId) ?? new Map<string, Pending<T>>()
    const pending: Pending<T> = { current: read(), next: undefined }
    tenants.set(tenantId, reads.set(unitId, pending))
    const end = () => {
      if (pending.next !== undefined) return
      reads.delete(unitId)
      if (reads.size === 0) tenants.delete(tenantId)
    }
    pending.current.then(end, end)
    return pending.current
  }
  return (tenantId, unitId, read) => {
    const reads = tenants.get(tenantId)
    const pending = reads?.get(unitId)
    if (pending === undefined) {
      return (reads?.size ?? 0) >= perTenantMax ? undefined : start(tenantId, unitId, read)
    }
    if (pending.next === undefined) {
      const startNext = () => start(tenantId, unitId, read)
      pending.next = pending.current.then(startNext, startNext)
    }
    return pending.next
  }
}
