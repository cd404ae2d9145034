import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, type OperationName, permissionOf } from './api.ts'

/** How long a permission that was removed may still be offered: the API rejects its use at once. */
const staleMs = 60_000

export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => api.readSelf({}, { signal }),
  staleTime: staleMs,
  refetchInterval: staleMs,
})

export const useSelf = () => useSuspenseQuery(selfQuery).data

/** Undefined where the person may call the operation; otherwise why not, to show at the control. */
export type Denial = (operation: OperationName) => string | undefined

export function useDenial(): Denial {
  const { permissions } = useSelf()
  return (operation) => {
    const needed = permissionOf(operation)
    return needed === null || permissions.includes(needed) ? undefined : `needs ${needed}`
  }
}
