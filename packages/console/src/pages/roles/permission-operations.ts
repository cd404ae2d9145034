import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'

const permissionsMax = 200

/** The catalogue of permissions, which changes with a release of the platform. */
export const permissionsQuery = queryOptions({
  queryKey: ['permissions'],
  queryFn: ({ signal }) => api.listPermissions({ limit: permissionsMax }, { signal }).page(),
  staleTime: Number.POSITIVE_INFINITY,
})

/** The operations that each permission opens. Undefined where the person may not read the catalogue. */
export function useOperationsOfPermissions(): ReadonlyMap<string, readonly string[]> | undefined {
  const isPermitted = useDenial()('listPermissions') === undefined
  const { data } = useQuery({ ...permissionsQuery, enabled: isPermitted })
  return data === undefined ? undefined : new Map(data.data.map(({ name, operations }) => [name, operations]))
}
