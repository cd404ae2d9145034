import { useQuery } from '@tanstack/react-query'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'

const typesMax = 200

/** The catalogue of event types, by name; empty where the person may not read it. */
export function useEventTypes() {
  const isPermitted = useDenial()('listEventTypes') === undefined
  const { data } = useQuery({
    queryKey: ['event-types'],
    queryFn: ({ signal }) => api.listEventTypes({ limit: typesMax }, { signal }).page(),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isPermitted,
  })
  return data?.data ?? []
}
