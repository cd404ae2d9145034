import { useUnits } from '../../layout/unit.tsx'
import { foreign } from '../../text/foreign.ts'

/** The name of a business unit, or its id where the name cannot be read. */
export function UnitName({ unitId }: { unitId: string | null }) {
  const units = useUnits()
  if (unitId === null) return <span className="muted">all</span>
  const unit = units.find(({ id }) => id === unitId)
  return unit === undefined ? <code>{unitId}</code> : foreign(unit.name)
}
