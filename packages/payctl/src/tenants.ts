import { Problem } from '@payments/contracts/grammar/problem'
import type { User } from '@payments/contracts/services/identity/users'
import { commandFailure, isUuid } from './arguments.ts'
import { newContext, type Services } from './services.ts'
import { didYouMean } from './suggestion.ts'
import { type Column, shortId } from './table.ts'

/** The user of a tenant with an email address, in any case. Throws a CommanderError when the tenant has none. */
export async function userByEmail(
  { identity }: Pick<Services, 'identity'>,
  tenant: string,
  email: string,
): Promise<User> {
  const call = { params: { tenant_id: tenant }, query: { email } }
  const { data } = await identity.listUsersOfTenant(newContext(), call)
  const [found, other] = data
  if (found === undefined) throw commandFailure(`The tenant has no user with the email address ${email}`)
  // Two subjects of sign-in providers can have one email address.
  if (other !== undefined)
    throw commandFailure(`The tenant has several users with the email address ${email}: use the id`)
  return found
}

/**
 * The result of `call`, whose body names a role. Where the tenant has no such role, throws a CommanderError with the
 * names of its roles.
 */
export async function withKnownRole<T>(
  { rbac }: Pick<Services, 'rbac'>,
  { tenant, role }: { readonly tenant: string; readonly role: string },
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'unknown_role') throw error
    const { roles } = await rbac.readTenant(newContext(), { params: { tenant_id: tenant } })
    const names = roles.map(({ name }) => name)
    const suggestion = didYouMean(role, names)
    throw commandFailure(
      `--role: the tenant has no role ${JSON.stringify(role)}; it has ${names.join(', ')}${suggestion}`,
    )
  }
}

/** The names of the roles of a tenant, by id. Throws tenant_not_found. */
export async function readRoleNames({ rbac }: Pick<Services, 'rbac'>, tenant: string): Promise<(id: string) => string> {
  const { roles } = await rbac.readTenant(newContext(), { params: { tenant_id: tenant } })
  const names = new Map(roles.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? id
}

/** Every read leaves an audit record. */
const lookedUpMax = 10

/** The id of a tenant in a wide list; in a narrow one its name, or a part of its id where no name is known. */
export async function tenantColumns<T>(
  { rbac }: Pick<Services, 'rbac'>,
  items: readonly T[],
  readTenantId: (item: T) => string | null,
): Promise<Column<T>[]> {
  const ids = [...new Set(items.map(readTenantId))]
    .filter((id): id is string => id !== null && isUuid(id))
    .slice(0, lookedUpMax)
  const names = new Map<string, string>()
  const readName = async (id: string) => {
    try {
      names.set(id, (await rbac.readTenant(newContext(), { params: { tenant_id: id } })).name)
    } catch (error) {
      // A name is a convenience: the list has the ids without it.
      if (!(error instanceof Problem)) throw error
    }
  }
  await Promise.all(ids.map(readName))
  const findName = (item: T) => names.get(readTenantId(item) ?? '') ?? null
  const narrow = { title: 'tenant', cell: (item: T) => findName(item) ?? shortId(readTenantId(item)) }
  return [
    { title: 'tenant', cell: readTenantId, narrow, fit: 'end' },
    { title: 'tenant name', cell: findName, narrow: null },
  ]
}
