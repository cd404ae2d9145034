import { Problem } from '@payments/contracts/grammar/problem'
import { isUuid } from './arguments.ts'
import { newContext, type Services } from './services.ts'
import { type Column, shortId } from './table.ts'

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
  const names = new Map(
    await Promise.all(
      ids.map(async (id) => {
        const call = { params: { tenant_id: id } }
        const name = await rbac.readTenant(newContext(), call).then(
          (tenant) => tenant.name,
          // A name is a convenience: the list has the ids without it.
          (error: unknown) => {
            if (error instanceof Problem) return null
            throw error
          },
        )
        return [id, name] as const
      }),
    ),
  )
  const findName = (item: T) => names.get(readTenantId(item) ?? '') ?? null
  const narrow = { title: 'tenant', cell: (item: T) => findName(item) ?? shortId(readTenantId(item)) }
  return [
    { title: 'tenant', cell: readTenantId, narrow, fit: 'end' },
    { title: 'tenant name', cell: findName, narrow: null },
  ]
}
