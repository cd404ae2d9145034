import { partMatcher } from '@payments/contracts/grammar/name'
import { loopShare } from './loop-share.ts'

/** Some milliseconds, whatever the names. */
const rowsOfTurn = 100

/** The rows that have the part in one of their texts, in the same order. They are read in the tenant's loop share. */
export async function rowsWithPart<Row>(
  tenantId: string,
  {
    rows,
    listTexts,
    part,
  }: { rows: readonly Row[]; listTexts: (row: Row) => readonly (string | null)[]; part: string },
): Promise<Row[]> {
  const hasPart = partMatcher(part)
  const isFound = (row: Row) => listTexts(row).some((text) => text !== null && hasPart(text))
  const found: Row[] = []
  for (let first = 0; first < rows.length; first += rowsOfTurn) {
    const turn = rows.slice(first, first + rowsOfTurn)
    found.push(...(await loopShare.run(tenantId, () => turn.filter(isFound))))
  }
  return found
}
