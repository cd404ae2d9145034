import { parseJson } from '@payments/contracts/grammar/json'
import { cursorAt } from '@payments/contracts/grammar/page'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { type Changes, type ChangeTopic, changeTopics } from '@payments/contracts/services/webhooks/changes'

/** How often each topic of a tenant changed. A cursor contains them in the order of `changeTopics`. */
export type Sequences = Readonly<Record<ChangeTopic, number>>

export function buildSequences(readNumber: (topic: ChangeTopic, position: number) => number): Sequences {
  return Object.fromEntries(changeTopics.map((topic, position) => [topic, readNumber(topic, position)])) as Record<
    ChangeTopic,
    number
  >
}

/** A restored database counts from an earlier number, which is a change too. */
export function changedTopics(known: Sequences, now: Sequences): ChangeTopic[] {
  return changeTopics.filter((topic) => known[topic] !== now[topic])
}

/** `known` undefined: the cursor of now, without topics. */
export function presentChanges(known: Sequences | undefined, now: Sequences): Changes {
  return {
    topics: known === undefined ? [] : changedTopics(known, now),
    next_cursor: cursorAt(changeTopics.map((topic) => now[topic])),
  }
}

/** The sequences of a cursor. A topic that the cursor does not have has changed. Throws invalid_request. */
export function sequencesBehind(cursor: string): Sequences {
  const given = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (!Array.isArray(given) || given.length > 100 || !given.every((one) => Number.isSafeInteger(one))) {
    const detail = 'must be a next_cursor of this endpoint'
    throw new Problem(commonProblems.invalid_request, { detail, errors: [{ pointer: '/query/after', detail }] })
  }
  return buildSequences((_, position) => (given[position] as number | undefined) ?? -1)
}
