import type { DeadLetterFilter, RedriveDeadLettersRequest } from '@payments/client/schemas'
import type { Filters } from '../../session/api.ts'
import { formatCount } from '../../text/format.ts'

/** Chosen dead letters by id, or all that match a filter. */
export type Selection = { readonly ids: readonly string[] } | { readonly filter: Filters }

/** The filters of a URL, in which the code is text, as the API takes them. The API checks the values. */
export function toFilter({ status_code: code, ...others }: Filters): DeadLetterFilter {
  const number = Number(code)
  const written = Number.isNaN(number) ? code : number
  return { ...others, ...(code === undefined ? {} : { status_code: written }) } as DeadLetterFilter
}

/** The selection as a redrive or a discard takes it. `countedAt`: without the deliveries that died after that count. */
export function buildBody(selection: Selection, countedAt?: string): Pick<RedriveDeadLettersRequest, 'ids' | 'filter'> {
  if ('ids' in selection) return { ids: [...selection.ids] }
  const filter = toFilter(selection.filter)
  const ends = [filter.dead_before, countedAt].filter((end) => end !== undefined)
  const [first] = ends.sort((one, other) => Date.parse(one) - Date.parse(other))
  return { filter: first === undefined ? filter : { ...filter, dead_before: first } }
}

/** `3 chosen`, `all`. */
export const describeSize = (selection: Selection): string =>
  'ids' in selection ? `${formatCount(selection.ids.length)} chosen` : 'all'
