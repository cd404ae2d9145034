import { expect, test } from '@jest/globals'
import { queryInteger } from '@payments/contracts/grammar/field'
import { amount } from '@payments/contracts/nouns/transaction'
import { z } from 'zod'
import { parseRequest } from '../src/request/parse-request.ts'

const endpoint = {
  method: 'POST',
  path: '/v1/things',
  audience: 'internal',
  callers: ['payctl'],
  summary: 'Create a thing.',
  query: z.strictObject({ amount_min: queryInteger(1, 999).optional() }),
  body: z.strictObject({ amount }),
  replies: { 201: z.object({}) },
} as const

const catchRejection = (query: object, body: object) => {
  try {
    return parseRequest(endpoint, { params: {}, query, body })
  } catch (error) {
    return error
  }
}

test.each([
  [1_000_000_000_000, 'must be at most 999999999999'],
  [1e17, 'must be at most 999999999999'],
  [1e300, 'must be at most 999999999999'],
  [0, 'must be at least 1'],
  [-1e17, 'must be at least 1'],
])('names the field and the bound for the amount %d', (given, detail) => {
  expect(catchRejection({}, { amount: given })).toMatchObject({ options: { errors: [{ pointer: '/amount', detail }] } })
})

test.each(['1000', '99999999999999999999999', '9'.repeat(100)])('names the bound of a query for %s', (given) => {
  const errors = [{ pointer: expect.stringContaining('amount_min'), detail: 'must be at most 999' }]
  expect(catchRejection({ amount_min: given }, { amount: 1 })).toMatchObject({ options: { errors } })
})

test('names a parameter that is given twice', () => {
  const errors = [{ pointer: '/query/amount_min', detail: 'must be given once' }]
  expect(catchRejection({ amount_min: ['1', '2'] }, { amount: 1 })).toMatchObject({ options: { errors } })
})
