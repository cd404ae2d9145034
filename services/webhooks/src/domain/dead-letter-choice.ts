import { commonProblems, Problem } from '@payments/contracts/problem'

/** Some, or all. */
export interface Choice {
  readonly ids?: readonly string[] | undefined
  readonly all?: true | undefined
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The ids of dead deliveries that are chosen, null for all. Throws invalid_request on one that is no UUID. */
export function chosenDeliveries({ ids }: Choice): string[] | null {
  if (ids === undefined) return null
  const wrong = ids.flatMap((id, index) => (uuid.test(id) ? [] : [index]))
  if (wrong.length > 0) {
    const errors = wrong.map((index) => ({ pointer: `/ids/${index}`, detail: 'must be a UUID' }))
    throw new Problem(commonProblems.invalid_request, { errors })
  }
  return ids.map((id) => id.toLowerCase())
}
