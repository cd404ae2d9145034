import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { contracts } from '../src/all.ts'
import { openApiDocument } from '../src/openapi.ts'

const document = openApiDocument(contracts)

test('the committed document is what the contracts say (write it anew with `node scripts/openapi.mjs`)', () => {
  const committed = readFileSync(new URL('../openapi/payment-service.json', import.meta.url), 'utf8')
  expect(committed).toBe(`${JSON.stringify(document, null, 2)}\n`)
})

test('it documents every endpoint for tenants and no internal one', () => {
  const documented = Object.entries(document['paths'] as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const exposed = contracts.flatMap(({ endpoints }) =>
    Object.values(endpoints)
      .filter(({ audience }) => audience !== 'internal')
      .map(({ method, path }) => `${method} ${path}`),
  )
  expect(documented.sort()).toEqual(exposed.sort())
})

test('it documents every event as a webhook', () => {
  const types = contracts.flatMap(({ events }) => Object.keys(events))
  expect(Object.keys(document['webhooks'] as object).sort()).toEqual(types.sort())
})

test('every schema it refers to is in it', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => String(path))
  expect(references.length).toBeGreaterThan(0)
  for (const reference of new Set(references)) {
    const found = reference.split('/').reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], document)
    expect([reference, typeof found]).toEqual([reference, 'object'])
  }
})
