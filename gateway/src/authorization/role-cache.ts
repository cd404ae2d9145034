import { hash } from 'node:crypto'
import { bytesOfTexts } from '@payments/chassis/base/sized-cache'
import type { Client } from '@payments/chassis/client/client'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { Problem } from '@payments/contracts/grammar/problem'
import type { rbac } from '@payments/contracts/services/rbac/contract'
import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'
import type { LeaseSource } from './lease.ts'
import { createLeasedCache, type Loaded } from './leased-cache.ts'

export type RoleSource = LeaseSource & Pick<Client<typeof rbac>, 'resolveRoles'>

export interface Grant {
  /** unknown: the tenant does not exist. */
  readonly tenantStatus: 'active' | 'suspended' | 'unknown'
  /** The same array for equal permissions, while cached. */
  readonly permissions: readonly Permission[]
  /** Ids of the tenant and of the roles found, in this order. The creation of a missing role names the tenant. */
  readonly dependencies: readonly string[]
  /** In the order of their ids in `dependencies`. The same array for equal names, while cached. */
  readonly roleNames: readonly string[]
}

/** The roles of the credential that the tenant has. */
export const grantedRoleIds = ({ dependencies }: Grant): readonly string[] => dependencies.slice(1)

type RoleQuery = { readonly role_ids: string[] } | { readonly role_names: string[] }

export type RoleCache = ReturnType<typeof createRoleCache>

/** Of permissions, and of names of roles. */
const sharedSetsMax = 1_000
const sharedBytesMax = 4 * 1024 * 1024
const grantBytesMax = 64 * 1024 * 1024
const pointerBytes = 8

interface RoleCacheOptions {
  readonly clock: Clock
  readonly grantsMax: number
}

/** Permissions of roles and the status of their tenant. */
export function createRoleCache(source: RoleSource, { clock, grantsMax }: RoleCacheOptions) {
  const grants = createLeasedCache<Grant>({
    source: 'rbac',
    clock,
    readVersion: source.readVersion,
    kinds: ['role', 'tenant'],
    entriesMax: grantsMax,
    bytesMax: grantBytesMax,
    measureBytes: ({ dependencies, roleNames, permissions }, cacheKey) =>
      bytesOfTexts(cacheKey, ...dependencies, ...roleNames) + permissions.length * pointerBytes,
    // The tenant is the first dependency.
    readTenantId: ({ dependencies: [tenantId = ''] }) => tenantId,
    listDependencies: (grant) => grant.dependencies,
  })
  const [sharedPermissions, sharedNames] = [sharedSets<Permission>(), sharedSets<string>()]
  const load = async (tenantId: string, roles: RoleQuery, context: { traceId: string }): Promise<Loaded<Grant>> => {
    try {
      const found = await source.resolveRoles(context, { params: { tenant_id: tenantId }, body: roles })
      const granted = new Set(found.permissions)
      const value = {
        tenantStatus: found.tenant_status,
        // The strings of the catalogue: a response has copies.
        permissions: sharedPermissions(permissionNames.filter((name) => granted.has(name)).sort()),
        // Of the exact length. A spread allocates a capacity of 17: 14 MB more for 100 000 grants.
        dependencies: [tenantId].concat(reuseIds(found.roles, roles)),
        roleNames: sharedNames(found.roles.map(({ name }) => name)),
      }
      return { value, catalogue: found.catalogue }
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'tenant_not_found') throw error
      const value = { tenantStatus: 'unknown', permissions: [], dependencies: [tenantId], roleNames: [] } as const
      return { value, catalogue: null }
    }
  }
  return {
    acquire: grants.acquire,
    /** Call after `acquire`. */
    get: async (tenantId: string, roles: RoleQuery, context: { traceId: string }): Promise<Grant> =>
      grants.get(buildCacheKey(tenantId, roles), () => load(tenantId, roles, context)),
  }
}

/** Ids of the roles found. Reuses the string objects of the query, which the cache retains in any case. */
function reuseIds(found: readonly { readonly id: string }[], roles: RoleQuery): readonly string[] {
  const queried = 'role_ids' in roles ? roles.role_ids : []
  return found.map(({ id }) => queried.find((one) => one === id) ?? id)
}

/** Order and repetition of roles do not matter. Names are foreign text of any length, so the key has their hash. */
function buildCacheKey(tenantId: string, roles: RoleQuery): string {
  if ('role_names' in roles) {
    const names = JSON.stringify([...new Set(roles.role_names)].sort())
    return `${tenantId} names ${hash('sha256', names, 'base64')}`
  }
  const ids = roles.role_ids.length < 2 ? roles.role_ids : [...new Set(roles.role_ids)].sort()
  return `${tenantId} ids ${ids.join()}`
}

/** Most grants have one of few sets of permissions and names. Each set is stored once, not once per tenant. */
function sharedSets<T extends string>(): (items: readonly T[]) => readonly T[] {
  const sets = new LRUCache<string, readonly T[]>({
    max: sharedSetsMax,
    maxSize: sharedBytesMax,
    sizeCalculation: (items, key) => bytesOfTexts(key, ...items),
  })
  return (items) => {
    const key = hash('sha256', JSON.stringify(items), 'base64')
    const shared = sets.get(key) ?? items
    sets.set(key, shared)
    return shared
  }
}
