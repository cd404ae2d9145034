import type { SearchField } from '../../layout/search-form.tsx'
import { useItems } from '../../session/lists.ts'

/** The catalogue of event types, by name; empty where the person may not read it. */
export const useEventTypes = () => useItems('listEventTypes', 'event-types')

/** The event type as a filter of a list. It has no control for a person who may not read the catalogue. */
export function useTypeField(): SearchField {
  const name = 'event_type'
  const known = useEventTypes().map((type) => ({ value: type.name, label: type.name }))
  if (known.length === 0) return { name }
  return { name, label: 'Event type', options: [{ value: '', label: 'Every type' }, ...known] }
}
