import type { Client } from '@payments/chassis/client'
import type { Permission } from '@payments/contracts/permission'
import { Problem } from '@payments/contracts/problem'
import type { rbac } from '@payments/contracts/rbac'
import { LRUCache } from 'lru-cache'
import { createMemory, createRecall } from './dependency-cache.ts'
import { createEpochReader, type EpochOwner } from './revalidator.ts'

export type RoleOwner = Pick<Client<typeof rbac>, 'resolveRoles'> & EpochOwner

export interface Grant {
  /** unknown: there is no such tenant. */
  readonly tenantStatus: 'active' | 'suspended' | 'unknown'
  /** The same array for the same permissions, as long as it is among those used last. */
  readonly permissions: readonly Permission[]
}

export type RolesAsked = { readonly role_ids: string[] } | { readonly role_names: string[] }

/** What roles grant, and whether their tenant may act, remembered by the rules of epoch.ts. */
export interface KnownRoles {
  catchUp(): Promise<void>
  /** After `catchUp`. */
  resolve(tenantId: string, roles: RolesAsked, context: { traceId: string }): Promise<Grant>
}

interface RememberedGrant extends Grant {
  /** The tenant, and the roles that were found. A role that was not found appears with a change of its tenant. */
  readonly dependencies: readonly string[]
}

const permissionSetsMax = 1_000

export function rememberRoles(owner: RoleOwner, { grantsMax }: { readonly grantsMax: number }): KnownRoles {
  const memory = createMemory<RememberedGrant>({ answersMax: grantsMax, dependenciesOf: (grant) => grant.dependencies })
  const epoch = createEpochReader({
    owner,
    forgetAll: memory.clear,
    forget: { role: memory.forget, tenant: memory.forget },
  })
  const recall = createRecall<RememberedGrant>(epoch, memory)
  const shared = sharedSets()
  const ask = async (tenantId: string, roles: RolesAsked, context: { traceId: string }): Promise<RememberedGrant> => {
    try {
      const found = await owner.resolveRoles(context, { params: { tenant_id: tenantId }, body: roles })
      return {
        tenantStatus: found.tenant_status,
        permissions: shared(found.permissions),
        dependencies: [tenantId, ...idsOf(found.roles, roles)],
      }
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'tenant_not_found') throw error
      return { tenantStatus: 'unknown', permissions: [], dependencies: [tenantId] }
    }
  }
  return {
    catchUp: epoch.catchUp,
    resolve: async (tenantId, roles, context) =>
      recall(questionOf(tenantId, roles), () => ask(tenantId, roles, context)),
  }
}

/** The ids of the roles found, as the very strings of the question where it has them: those are kept anyway. */
function idsOf(found: readonly { readonly id: string }[], roles: RolesAsked): readonly string[] {
  const asked = 'role_ids' in roles ? roles.role_ids : []
  return found.map(({ id }) => asked.find((one) => one === id) ?? id)
}

/** The order of roles and their repetition tell nothing. Names may hold any character, so they are quoted. */
function questionOf(tenantId: string, roles: RolesAsked): string {
  if ('role_names' in roles) return `${tenantId} names ${JSON.stringify([...new Set(roles.role_names)].sort())}`
  const ids = roles.role_ids.length < 2 ? roles.role_ids : [...new Set(roles.role_ids)].sort()
  return `${tenantId} ids ${ids.join()}`
}

/** Most grants are one of a few sets of permissions: each is kept once, not once for each tenant. */
function sharedSets(): (permissions: readonly string[]) => readonly Permission[] {
  const sets = new LRUCache<string, readonly Permission[]>({ max: permissionSetsMax })
  return (permissions) => {
    const name = permissions.join()
    const shared = sets.get(name) ?? (permissions as readonly Permission[])
    sets.set(name, shared)
    return shared
  }
}
