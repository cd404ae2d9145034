import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { contracts } from '../src/edges/contracts.ts'
import { type Contract, contract } from '../src/grammar/contract.ts'
import { text, uuid } from '../src/grammar/field.ts'
import { auditRecord } from '../src/services/audit/contract.ts'
import { actorNames, findAccepted, flows, isActorName, listEntries, listExits, subject } from './flow-fields.ts'

/**
 * Texts of callers and tokens flow into replies, events and audit records. Every text that the entry accepts is tried
 * there: each kind of character, at the greatest length. A narrower schema at the end would fail after the work
 * is done, such as after a payment.
 */

/** Flows that are rejected at the end: `entry field -> exit field`, each once. */
function rejections(checked: Contract): string[] {
  const entries = listEntries(checked)
  const found = listExits(checked).flatMap((exit) => {
    const same = entries.filter((entry) => flows(entry, exit))
    const sources = same.map((entry) => ({ from: entry.path, values: findAccepted(entry) }))
    const isActor = isActorName(exit.name) || /\bactor\.id$/.test(exit.path)
    const prefixed = isActorName(exit.name) ? actorNames : findAccepted(subject)
    if (isActor) sources.push({ from: subject.path, values: prefixed })
    return sources.flatMap(({ from, values }) =>
      values.some((value) => !exit.schema.safeParse(value).success) ? [`${from} -> ${exit.path}`] : [],
    )
  })
  return [...new Set(found)]
}

describe('every text of a caller or a token is accepted by the replies and events that it flows into', () => {
  test.each(contracts.map((one) => [one.service, one] as const))('%s', (_service, checked) => {
    expect(rejections(checked)).toEqual([])
  })

  test('each contract with texts has flows to try', () => {
    const tried = contracts.flatMap(listEntries).filter((entry) => findAccepted(entry).length > 0)
    expect(tried.length).toBeGreaterThan(50)
    expect(contracts.flatMap(listExits).filter(({ name }) => isActorName(name)).length).toBeGreaterThan(5)
  })

  test('an audit record has every subject', () => {
    for (const id of findAccepted(subject))
      expect(auditRecord.shape.actor.safeParse({ type: 'user', id }).success).toBe(true)
  })
})

describe('the test finds a planted fault', () => {
  const plantFlow = (entry: z.ZodType, exit: z.ZodType) =>
    contract({
      service: 'a',
      description: 'A.',
      problems: {},
      endpoints: {
        make: {
          method: 'POST',
          path: '/v1/a/x',
          audience: 'authenticated',
          summary: 'Make.',
          body: z.strictObject({ thing: z.strictObject({ note: entry.optional() }) }),
          replies: { 200: z.object({ id: uuid }) },
        },
      },
      events: { 'a.x.make': { description: 'A.', scope: 'tenant', payload: z.object({ thing: exit }) } },
    })

  test.each<[string, z.ZodType, z.ZodType]>([
    ['a shorter text', text(200), z.object({ note: text(100).nullable() })],
    ['other characters', text(200), z.object({ note: z.string().regex(/^[^\n]*$/) })],
    ['an actor that is a UUID', text(1), z.object({ actor: z.object({ id: uuid.nullable() }).nullable() })],
    ['an author that is shorter', text(1), z.object({ created_by: z.string().max(255) })],
  ])('%s', (_fault, entry, exit) => {
    expect(rejections(plantFlow(entry, exit))).toHaveLength(1)
  })

  test('and none where the end is as wide', () => {
    expect(rejections(plantFlow(text(200), z.object({ note: z.string().nullable() })))).toEqual([])
  })
})
