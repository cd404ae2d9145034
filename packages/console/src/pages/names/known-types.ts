import { useQuery } from '@tanstack/react-query'
import type { SearchField } from '../../layout/search-form.tsx'
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

/** The event type as a filter of a list. It has no control for a person who may not read the catalogue. */
export function useTypeField(): SearchField {
  const name = 'event_type'
  const known = useEventTypes().map((type) => ({ value: type.name, label: type.name }))
  if (known.length === 0) return { name }
  return { name, label: 'Event type', options: [{ value: '', label: 'Every type' }, ...known] }
}
