import { foreign } from '../../text/foreign.ts'
import { absolute } from '../../text/format.ts'

const instants = /\b\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z\b/g

/** A reason of the API, with its instants in the zone of the reader. */
export const readable = (reason: string): string =>
  foreign(reason).replace(instants, (instant) => absolute(new Date(instant)))
