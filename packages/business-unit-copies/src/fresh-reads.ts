/**
 * Shares one read of a business unit between concurrent callers. A caller gets the result of a read that began at or
 * after its call: the read in progress may precede the change that the caller knows of. So at most one read per unit is
 * in progress and one waits. Undefined, without a read, while `perTenantMax` units of the tenant are read.
 */
export type FreshReads<T> = (tenantId: string, unitId: string, read: () => Promise<T>) => Promise<T> | undefined

const perTenantMax = 4

interface Flight<T> {
  readonly current: Promise<T>
  next: Promise<T> | undefined
}

export function createFreshReads<T>(): FreshReads<T> {
  const tenants = new Map<string, Map<string, Flight<T>>>()
  const start = (tenantId: string, unitId: string, read: () => Promise<T>): Promise<T> => {
    const flights = tenants.get(tenantId) ?? new Map<string, Flight<T>>()
    const flight: Flight<T> = { current: read(), next: undefined }
    tenants.set(tenantId, flights.set(unitId, flight))
    const end = () => {
      if (flight.next !== undefined) return
      flights.delete(unitId)
      if (flights.size === 0) tenants.delete(tenantId)
    }
    flight.current.then(end, end)
    return flight.current
  }
  return (tenantId, unitId, read) => {
    const flights = tenants.get(tenantId)
    const flight = flights?.get(unitId)
    if (flight === undefined) {
      return (flights?.size ?? 0) >= perTenantMax ? undefined : start(tenantId, unitId, read)
    }
    if (flight.next === undefined) {
      const startNext = () => start(tenantId, unitId, read)
      flight.next = flight.current.then(startNext, startNext)
    }
    return flight.next
  }
}
