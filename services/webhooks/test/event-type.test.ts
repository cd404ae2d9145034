import { describe, expect, test } from '@jest/globals'
import { eventTypes } from '@payments/contracts/edges/event-types'
import { listPatterns, unknownPositions } from '../src/domain/event/event-type.ts'

const known = Object.keys(eventTypes)

describe('event types', () => {
  test('a type matches its name and each prefix that ends before a dot', () => {
    expect(listPatterns('a.b.c')).toEqual(['a.b.c', 'a.*', 'a.b.*'])
    expect(listPatterns('a')).toEqual(['a'])
  })

  test('every name and prefix of a known type is known', () => {
    for (const name of known) expect(unknownPositions(listPatterns(name), known)).toEqual([])
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
  ])('%s is unknown', (pattern) => {
    expect(unknownPositions(['api-key.*', pattern], known)).toEqual([1])
  })
})
