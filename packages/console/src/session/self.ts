import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { type OperationName, requiredPermission, sessionApi, showTenant } from './api.ts'
import { announceIdentity, reportSessionTenant } from './gate.ts'
import { storeTenant } from './sign-in.ts'

/** How long a permission that was removed may still be offered: the API rejects its use at once. */
const staleMs = 60_000

/** Person and tenant with which this document was opened. */
let opened: { readonly actorId: string; readonly tenantId: string } | undefined

/** Another tab has switched the session to another tenant than this document has. */
export class SessionOfAnotherTenant extends Error {}

/**
 * Rejects with SessionOfAnotherTenant after a switch of tenant: a dialog offers how to continue. Never resolves for
 * another person: the console opens again, and nothing that waits continues as them.
 */
async function readSelf(signal: AbortSignal) {
  const self = await sessionApi.readSelf({}, { signal })
  const { actor, tenant } = self
  if (opened === undefined) {
    opened = { actorId: actor.id, tenantId: tenant.id }
    showTenant(tenant.id)
    announceIdentity(`${actor.id} ${tenant.id}`)
  }
  if (actor.id !== opened.actorId) {
    location.assign('/console')
    return new Promise<never>(() => {})
  }
  if (tenant.id !== opened.tenantId) {
    reportSessionTenant(tenant.name)
    throw new SessionOfAnotherTenant()
  }
  reportSessionTenant(undefined)
  storeTenant(tenant.id)
  return self
}

export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => readSelf(signal),
  staleTime: staleMs,
  refetchInterval: staleMs,
})

export const useSelf = () => useSuspenseQuery(selfQuery).data

/** Undefined where the person may call the operation; otherwise why not, to show at the control. */
type Denial = (operation: OperationName) => string | undefined

/** Whether a page may send the request of an operation: `enabled` of a query. */
export const usePermitted = (operation: OperationName): boolean => useDenial()(operation) === undefined

export function useDenial(): Denial {
  const { permissions } = useSelf()
  return (operation) => {
    const needed = requiredPermission(operation)
    return needed === null || permissions.includes(needed) ? undefined : `needs ${needed}`
  }
}
