import { createHash } from 'node:crypto'

/** A statement with `$1`, `$2`, … for its values. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** The name of the prepared statement of a text. Undefined: the text is parsed and planned at each execution. */
export type StatementNames = (text: string) => string | undefined

/** A session keeps each prepared statement with its plan until it ends. */
const namesMaxDefault = 250

/**
 * Names prepared statements by a hash of their text, so that every session and every library uses the same name for a
 * text. Only the first `max` texts get a name.
 */
export function createStatementNames(max = namesMaxDefault): StatementNames {
  const names = new Map<string, string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= max) return known
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    names.set(text, name)
    return name
  }
}

/** Prepares nothing, for a pooler that gives a session another connection for each transaction. */
export const withoutNames: StatementNames = () => undefined
