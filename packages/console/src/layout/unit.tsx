import type { BusinessUnit } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../session/api.ts'
import { useDenial } from '../session/self.ts'
import { foreign } from '../text/foreign.ts'
import { Notice } from '../ui/notice.tsx'
import { Select } from '../ui/select.tsx'
import { Loaded } from './loaded.tsx'
import { Empty } from './page.tsx'
import type { SearchField } from './search-form.tsx'

const key = 'unit'
const unitsMax = 200

/** The business units of the tenant that are not deleted. */
export function useUnits() {
  const isPermitted = useDenial()('listBusinessUnits') === undefined
  return useQuery({
    queryKey: ['business-units', 'active'],
    queryFn: ({ signal }) => api.listBusinessUnits({ status: 'active', limit: unitsMax }, { signal }).page(),
    enabled: isPermitted,
    staleTime: 30_000,
  })
}

/** A page about one business unit, with the choice of the unit, which the browser stores. */
export function WithUnit({ children }: { children: (unit: BusinessUnit) => ReactNode }) {
  const denial = useDenial()('listBusinessUnits')
  const query = useUnits()
  if (denial !== undefined) return <Notice tone="warning">The choice of a business unit {denial}.</Notice>
  return <Loaded query={query}>{({ data }) => <ChosenUnit units={data}>{children}</ChosenUnit>}</Loaded>
}

interface ChosenUnitProps {
  readonly units: readonly BusinessUnit[]
  readonly children: (unit: BusinessUnit) => ReactNode
}

function ChosenUnit({ units, children }: ChosenUnitProps) {
  const [unitId, setUnitId] = useState(() => localStorage.getItem(key) ?? '')
  const unit = units.find(({ id }) => id === unitId) ?? units[0]
  if (unit === undefined) return <Empty title="The tenant has no business unit." />
  const choose = (id: string) => {
    localStorage.setItem(key, id)
    setUnitId(id)
  }
  return (
    <>
      {units.length === 1 ? null : (
        <div>
          <Select
            aria-label="Business unit"
            value={unit.id}
            options={units.map(({ id, name }) => ({ value: id, label: foreign(name) }))}
            onChange={choose}
          />
        </div>
      )}
      {children(unit)}
    </>
  )
}

/** The name of a business unit; its id where the person may not list units, and for a deleted unit. */
export function useUnitName(): (id: string) => string {
  const { data } = useUnits()
  return (id) => foreign(data?.data.find((unit) => unit.id === id)?.name ?? id)
}

/** The business unit as a filter of a list. Without a choice for the person, it has no control. */
export function useUnitField(): SearchField {
  const units = useUnits().data?.data ?? []
  const name = 'business_unit_id'
  if (units.length < 2) return { name }
  const known = units.map((unit) => ({ value: unit.id, label: foreign(unit.name) }))
  return { name, label: 'Business unit', options: [{ value: '', label: 'Every business unit' }, ...known] }
}
