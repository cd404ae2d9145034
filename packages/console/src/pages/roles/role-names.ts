import type { Role } from '@payments/client/schemas'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'

/** As many as the lists of a form offer. */
const rolesMax = 200

const rolesQuery = queryOptions({
  queryKey: ['roles', 'all'],
  queryFn: ({ signal }) => api.listRoles({ limit: rolesMax }, { signal }).page(),
  staleTime: 30_000,
})

/** The roles of the tenant; none for who may not read roles. */
export function useRoles(): readonly Role[] {
  const isPermitted = useDenial()('listRoles') === undefined
  return useQuery({ ...rolesQuery, enabled: isPermitted }).data?.data ?? []
}
