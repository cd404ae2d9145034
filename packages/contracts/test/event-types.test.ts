import { expect, test } from '@jest/globals'
import { contracts } from '../src/edges/contracts.ts'
import { eventTypes } from '../src/edges/event-types.ts'
import { businessUnitContract } from '../src/services/business-unit/contract.ts'

const examples = Object.entries(eventTypes).filter(([, { example }]) => example !== undefined)

test('the example of an event is a payload of the event, and shows every field', () => {
  const parsed = examples.map(([type, { payload, example }]) => ({ type, data: payload.safeParse(example).data }))
  expect(parsed).toEqual(examples.map(([type, { example }]) => ({ type, data: example })))
})

test('every payment event has an example', () => {
  expect(examples.filter(([type]) => type.startsWith('payment-proxy.'))).toHaveLength(12)
})

test('every event of business-unit has an example', () => {
  const without = Object.entries(businessUnitContract.events).filter(([, { example }]) => example === undefined)
  expect(without.map(([type]) => type)).toEqual([])
})

test('a contract has an example for each of its events, or for none', () => {
  const partly = contracts.filter(({ events }) => {
    const total = Object.values(events).length
    const illustrated = Object.values(events).filter(({ example }) => example !== undefined).length
    return illustrated !== 0 && illustrated !== total
  })
  expect(partly.map(({ service }) => service)).toEqual([])
})

test('the catalogue contains every event of every contract', () => {
  const all = contracts.flatMap(({ events }) => Object.keys(events))
  expect(Object.keys(eventTypes)).toEqual(expect.arrayContaining(all))
})
