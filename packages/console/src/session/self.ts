import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, type OperationName, permissionOf } from './api.ts'
import { announceIdentity } from './gate.ts'
import { storeTenant } from './return-to.ts'

/** How long a permission that was removed may still be offered: the API rejects its use at once. */
const staleMs = 60_000

/** Person and tenant with which this document was opened. */
let opened: string | undefined

/** Never resolves for another person or tenant: the console opens again, and nothing that waits continues as them. */
async function readSelf(signal: AbortSignal) {
  const self = await api.readSelf({}, { signal })
  const identity = `${self.actor.id} ${self.tenant.id}`
  if (opened === undefined) {
    opened = identity
    announceIdentity(identity)
  }
  if (identity === opened) {
    storeTenant(self.tenant.id)
    return self
  }
  location.assign('/console')
  return new Promise<never>(() => {})
}

export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => readSelf(signal),
  staleTime: staleMs,
  refetchInterval: staleMs,
})

export const useSelf = () => useSuspenseQuery(selfQuery).data

/** Undefined where the person may call the operation; otherwise why not, to show at the control. */
export type Denial = (operation: OperationName) => string | undefined

/** Whether a page may send the request of an operation: `enabled` of a query. */
export const usePermitted = (operation: OperationName): boolean => useDenial()(operation) === undefined

export function useDenial(): Denial {
  const { permissions } = useSelf()
  return (operation) => {
    const needed = permissionOf(operation)
    return needed === null || permissions.includes(needed) ? undefined : `needs ${needed}`
  }
}
