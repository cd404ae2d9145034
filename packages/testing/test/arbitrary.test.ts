/** @slow It generates thousands of values of every schema. */
import { describe, expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import { text } from '@payments/contracts/grammar/field'
import { toInputSchema } from '@payments/contracts/grammar/json-schema'
import { pageQuery } from '@payments/contracts/grammar/page'
import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import fc from 'fast-check'
import { arbitraryOfShape, arbitraryValue } from '../src/generators/arbitrary.ts'
import { listBreakages } from '../src/generators/broken-request.ts'
import { listParserBreakages } from '../src/generators/parser-breakage.ts'

const endpoints = contracts.flatMap((contract) =>
  Object.entries(contract.endpoints).map(([name, endpoint]) => ({ name: `${contract.service}.${name}`, endpoint })),
)
const creation = paymentProxy.endpoints.createTransaction

const listSchemas = ({ params, query, body }: Endpoint) =>
  [params, query, body].filter((schema) => schema !== undefined)

describe('values generated from a schema', () => {
  const parts = endpoints.flatMap(({ name, endpoint }) => listSchemas(endpoint).map((schema) => ({ name, schema })))

  test('fit the schema, for every part of every request', () => {
    expect(parts.length).toBeGreaterThan(endpoints.length)
    const rejections = parts.flatMap(({ name, schema }) =>
      fc
        .sample(arbitraryValue(schema), 20)
        .flatMap((value) => schema.safeParse(value).error?.issues ?? [])
        .map((issue) => ({ name, issue })),
    )
    expect(rejections).toEqual([])
  })

  test('differ: optional fields come and go, numbers meet both their bounds, texts leave ASCII', () => {
    const pages = fc.sample(arbitraryValue(pageQuery), 200) as { limit?: number; cursor?: string }[]
    expect(new Set(pages.map(({ cursor }) => typeof cursor))).toEqual(new Set(['string', 'undefined']))
    expect(pages.map(({ limit }) => limit)).toEqual(expect.arrayContaining([1, 200, undefined]))
    expect(fc.sample(arbitraryValue(text(200)), 200).some((one) => /[^\0-\x7f]/.test(one as string))).toBe(true)
  })

  test('are complete on request', () => {
    const shape = toInputSchema(creation.body)
    for (const value of fc.sample(arbitraryOfShape(shape, true), 20)) {
      expect(Object.keys(value as object).sort()).toEqual(Object.keys(shape.properties ?? {}).sort())
      expect(value).toMatchObject({ transaction: { transaction_items: { 0: { name: expect.any(String) } } } })
    }
  })

  test('fail with a message for a refinement that no value meets', () => {
    const never = text(5).refine(() => false)
    expect(() => fc.sample(arbitraryValue(never), 1)).toThrow('No value generated for a schema fits it')
  })
})

describe('requests with one thing broken', () => {
  test('break every place of a body, in each way that place can be broken', () => {
    const kinds = [...listBreakages(creation), ...listParserBreakages(creation)].map(({ what }) => what)
    expect(kinds).toEqual(
      expect.arrayContaining([
        'the body is not JSON',
        'the body is huge',
        'the body has bytes that are not UTF-8',
        'the body, another type',
        '/business_unit_id, missing',
        '/business_unit_id, no UUID',
        '/__proto__, unknown',
        '/transaction/constructor, unknown',
        '/transaction/transaction_items, too many items',
        '/transaction/transaction_items/0/name, a lone surrogate',
        '/transaction/transaction_items/0/quantity, too large',
        '/customer_details/email, not of its pattern',
        '/metadata/__proto__, as a key',
        '/metadata/a_key, infinite',
        'Idempotency-Key',
      ]),
    )
  })

  const withBodies = endpoints.flatMap(({ name, endpoint: { body, ...endpoint } }) =>
    body === undefined ? [] : [{ name, endpoint, body }],
  )

  test('have a body that the schema rejects, for every endpoint', () => {
    const accepted: { name: string; what: string; sent: string }[] = []
    for (const { name, endpoint, body } of withBodies) {
      const broken = [...listBreakages({ ...endpoint, body }), ...listParserBreakages({ ...endpoint, body })]
      const inBody = broken.filter(({ what }) => what.startsWith('/'))
      expect([name, inBody.length > 10]).toEqual([name, true])
      for (const { what, request } of inBody) {
        // The body parser of the chassis rejects these, before the schema.
        if (/\/__proto__, as a key$|, given twice|, with a duplicate within$/.test(what)) continue
        for (const sent of fc.sample(request, 2).map((one) => String(one.body))) {
          if (body.safeParse(JSON.parse(sent)).success) accepted.push({ name, what, sent })
        }
      }
    }
    expect(accepted).toEqual([])
  })
})
