import { expect, test } from '@jest/globals'
import { contracts } from '../src/edges/contracts.ts'
import { eventTypes } from '../src/edges/event-types.ts'
import { businessUnitContract } from '../src/services/business-unit/contract.ts'

const examples = Object.entries(eventTypes).filter(([, { example }]) => example !== undefined)

test.each(examples)('the example of %s is a payload of the event, and shows every field', (_type, definition) => {
  expect(definition.payload.parse(definition.example)).toEqual(definition.example)
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
