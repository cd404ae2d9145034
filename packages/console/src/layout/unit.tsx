import type { BusinessUnit } from '@payments/client/schemas'
import { type ReactNode, useEffect, useState } from 'react'
import { useItemsQuery } from '../session/reads.ts'
import { useDenial, useSelf } from '../session/self.ts'
import { foreign } from '../text/format.ts'
import { Notice } from '../ui/content.tsx'
import { Select } from '../ui/fields.tsx'
import { Empty, Loaded } from './page.tsx'
import { choiceField, type SearchField } from './search-form.tsx'

const useUnitsQuery = () => useItemsQuery('listBusinessUnits', 'business-units', { status: 'active' })

/** The business units of the tenant that are not deleted; none where the person may not list them. */
export const useUnits = (): readonly BusinessUnit[] => useUnitsQuery().data ?? []

/**
 * The business unit that a page is about: the one that the browser stores for the tenant, otherwise the newest, which
 * it then stores. Only the person changes it: a page stays one about its unit, whatever others create and delete.
 */
export function useUnitChoice() {
  const query = useUnitsQuery()
  const units = query.data ?? []
  const key = `unit ${useSelf().tenant.id}`
  const [chosen, setChosen] = useState<BusinessUnit>()
  const first = units.find(({ id }) => id === localStorage.getItem(key)) ?? units[0]
  if (chosen === undefined && first !== undefined) setChosen(first)
  const unit = chosen ?? first
  useEffect(() => {
    if (unit !== undefined) localStorage.setItem(key, unit.id)
  }, [key, unit])
  // Undefined until the units are read, and in a tenant without one.
  return { query, unit: units.find(({ id }) => id === unit?.id) ?? unit, choose: setChosen }
}

interface WithUnitProps {
  readonly choice: ReturnType<typeof useUnitChoice>
  readonly children: (unit: BusinessUnit) => ReactNode
}

/** A page about one business unit, with the choice of the unit. */
export function WithUnit({ choice: { query, unit, choose }, children }: WithUnitProps) {
  const denial = useDenial()('listBusinessUnits')
  if (denial !== undefined) return <Notice tone="warning">The choice of a business unit {denial}.</Notice>
  return (
    <Loaded query={query}>
      {(units) =>
        unit === undefined ? (
          <Empty title="The tenant has no business unit." />
        ) : (
          <>
            <ChooseUnit units={units} unit={unit} choose={choose} />
            {children(unit)}
          </>
        )
      }
    </Loaded>
  )
}

interface ChooseUnitProps {
  readonly units: readonly BusinessUnit[]
  readonly unit: BusinessUnit
  readonly choose: (unit: BusinessUnit) => void
}

function ChooseUnit({ units, unit, choose }: ChooseUnitProps) {
  const isDeleted = units.every(({ id }) => id !== unit.id)
  const offered = isDeleted ? [unit, ...units] : units
  return (
    <>
      {isDeleted ? (
        <Notice tone="warning" title={`The business unit “${foreign(unit.name)}” was deleted.`}>
          Choose another one, and look at what you have typed for it.
        </Notice>
      ) : null}
      {offered.length === 1 ? null : (
        <div>
          <Select
            aria-label="Business unit"
            value={unit.id}
            options={offered.map(({ id, name }) => ({ value: id, label: foreign(name) }))}
            onChange={(chosen) => choose(offered.find(({ id }) => id === chosen) ?? unit)}
          />
        </div>
      )}
    </>
  )
}

/** The name of a business unit; its id where the person may not list units, and for a deleted unit. */
export function useUnitName(): (id: string) => string {
  const units = useUnits()
  return (id) => foreign(units.find((unit) => unit.id === id)?.name ?? id)
}

/** The business unit as a filter of a list. Without a choice for the person, it has no control. */
export function useUnitField(): SearchField {
  const units = useUnits()
  const known = units.map((unit) => ({ value: unit.id, label: foreign(unit.name) }))
  return choiceField('business_unit_id', 'Business unit', 'Every business unit', units.length < 2 ? [] : known)
}

/** The name of a business unit, or its id where the name cannot be read. */
export function UnitName({ unitId }: { unitId: string | null }) {
  const units = useUnits()
  if (unitId === null) return <span className="muted">all</span>
  const unit = units.find(({ id }) => id === unitId)
  return unit === undefined ? <code>{unitId}</code> : foreign(unit.name)
}
