import { describe, expect, test } from '@jest/globals'
import { eventTypes } from '@payments/contracts/event-types'
import { patternsOf, unknownPositions } from '../src/domain/event-type.ts'

const known = Object.keys(eventTypes)

describe('event types', () => {
  test('a type matches its name and each prefix that ends at a dot', () => {
    expect(patternsOf('a.b.c')).toEqual(['a.b.c', 'a.*', 'a.b.*'])
    expect(patternsOf('a')).toEqual(['a'])
  })

  test('every known name and each of their prefixes is known', () => {
    for (const name of known) expect(unknownPositions(patternsOf(name), known)).toEqual([])
  })

  test.each([
    '*',
    '.*',
    'pay.*',
    'payment-proxy.transactions',
    'payment-proxy.transactions.create.*',
    'a.b',
    '__proto__',
    'Api-Key.*',
  ])('%s is not known', (pattern) => {
    expect(unknownPositions(['api-key.*', pattern], known)).toEqual([1])
  })
})
