import type { SearchField } from '../../layout/search-form.tsx'
import { useUnitField } from '../../layout/unit.tsx'
import { causes } from '../../parts/causes.ts'
import { useSubscriptionField, useTypeField } from '../../parts/webhooks/names.tsx'
import type { Filters } from '../../session/api.ts'
import { optionsAfter } from '../../ui/fields.tsx'

/** The filters of dead letters. */
export const useDeadLetterFields = (): readonly SearchField[] => [
  { name: 'error_kind', label: 'Cause', options: optionsAfter('Every cause', causes) },
  useSubscriptionField(),
  useTypeField(),
  useUnitField(),
  { name: 'dead_after', label: 'From', isInstant: true },
  { name: 'dead_before', label: 'To', isInstant: true },
  { name: 'status_code' },
]

/** The next filters. A code belongs to its cause: another cause removes it. */
export function filtersWithOwnCode(next: Filters, before: Filters): Filters {
  const { status_code: _, ...others } = next
  return next['error_kind'] === before['error_kind'] ? next : others
}
