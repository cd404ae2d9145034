import type { Caller, CallerWithPermissions } from '@payments/chassis/base/caller'
import { rowsWithPart } from '@payments/chassis/base/name-search'
import { idBefore, type Page, type PageQuery, pageByName, toPage } from '@payments/contracts/grammar/page'
import type { Permission } from '@payments/contracts/grammar/permission'
import { Problem } from '@payments/contracts/grammar/problem'
import {
  type ExplainedPermission,
  type Key,
  type OwnKey,
  problems,
} from '@payments/contracts/services/api-key/contract'
import type { Deps } from '../deps.ts'
import { type KeyFilter, presentKey } from '../domain/key.ts'
import { explainPermissions, type NamedRole } from '../domain/role.ts'
import { resolveRoles } from '../key-permissions/resolve-roles.ts'
import * as keys from '../store/keys.ts'

async function requireKey({ db }: Deps, tenantId: string, keyId: string): Promise<keys.KeyRow> {
  const key = await db.readInTenant(tenantId, (tx) => keys.findKey(tx, tenantId, keyId))
  if (key === null) throw new Problem(problems.key_not_found)
  return key
}

/** Throws key_not_found. */
export async function readKey(deps: Deps, { tenantId }: Caller, keyId: string): Promise<Key> {
  return presentKey(await requireKey(deps, tenantId, keyId), new Date())
}

/** Values are masked; the masked form is stored, so nothing is decrypted. */
export async function listKeys(
  deps: Deps,
  { tenantId }: Caller,
  { cursor, limit }: PageQuery,
  filter: KeyFilter,
): Promise<Page<Key>> {
  const page = { before: idBefore(cursor), limit }
  const found = filter.search === null ? [] : await searchNames(deps, tenantId, filter.search)
  const rows = await deps.db.readInTenant(tenantId, (tx) => keys.list(tx, tenantId, page, { filter, found }))
  const now = new Date()
  return toPage(rows, limit, (row) => presentKey(row, now))
}

/** The ids of the keys of the tenant whose name has the part. */
async function searchNames({ db }: Deps, tenantId: string, part: string): Promise<string[]> {
  const rows = await db.readInTenant(tenantId, (tx) => keys.listNames(tx, tenantId))
  const found = await rowsWithPart(tenantId, { rows, listTexts: ({ name }) => [name], part })
  return found.map(({ id }) => id)
}

/** Throws not_an_api_key for a user. Throws key_not_found when the key was deleted after its authentication. */
export async function readOwnKey(deps: Deps, caller: CallerWithPermissions): Promise<OwnKey> {
  const { tenantId, actor } = caller
  if (actor.type !== 'api_key') throw new Problem(problems.not_an_api_key)
  const key = await requireKey(deps, tenantId, actor.id)
  const { permissions, roles } = findAssertedGrant(caller) ?? (await resolveRoles(deps, caller, key.roleIds))
  const named = roles.map(({ id, name }) => ({ id, name })).sort((a, b) => (a.name < b.name ? -1 : 1))
  return { ...presentKey(key, new Date()), tenant_id: tenantId, roles: named, permissions: [...permissions].sort() }
}

interface AssertedGrant {
  readonly permissions: Iterable<Permission>
  readonly roles: readonly NamedRole[]
}

/**
 * The roles and permissions that the gateway resolved under its leases for this request. Undefined without the names of
 * the roles, which the gateway leaves out when they are long.
 */
function findAssertedGrant({ permissions, roleIds, roleNames }: CallerWithPermissions): AssertedGrant | undefined {
  if (roleIds === null || roleNames === null) return undefined
  return { permissions, roles: roleIds.map((id, index) => ({ id, name: roleNames[index] ?? '' })) }
}

/** The permissions that the roles of the key grant, also for a disabled key. Throws key_not_found. */
export async function readKeyPermissions(
  deps: Deps,
  caller: Caller,
  keyId: string,
  { explain, ...query }: PageQuery & { explain: boolean },
): Promise<{ data: Permission[] | ExplainedPermission[]; next_cursor: string | null }> {
  const { roleIds } = await requireKey(deps, caller.tenantId, keyId)
  const { permissions, roles } = await resolveRoles(deps, caller, roleIds)
  const page: Page<Permission> = pageByName(permissions, (name) => name, query)
  return explain ? { ...page, data: explainPermissions(page.data, roles) } : page
}

/** The name and the roles of a key, disabled and expired keys included. Null and empty for an unknown key. */
export async function readKeyRoles(
  { db }: Deps,
  tenantId: string,
  keyId: string,
): Promise<{ name: string | null; role_ids: string[] }> {
  const key = await db.readInTenant(tenantId, (tx) => keys.findKey(tx, tenantId, keyId))
  return { name: key?.name ?? null, role_ids: [...(key?.roleIds ?? [])] }
}

/** The number of keys of the tenant, and of those that are usable: enabled, not expired, with a role. */
export function countKeys({ db }: Deps, tenantId: string): Promise<{ total: number; usable: number }> {
  return db.readInTenant(tenantId, async (tx) => ({
    total: await keys.count(tx, tenantId),
    usable: await keys.countUsable(tx, tenantId, new Date()),
  }))
}

/** The number of keys that have the role, disabled and expired keys included. */
export async function countKeysWithRole({ db }: Deps, tenantId: string, roleId: string): Promise<{ count: number }> {
  return { count: await db.readInTenant(tenantId, (tx) => keys.countWithRole(tx, tenantId, roleId)) }
}
