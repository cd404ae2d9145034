import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { contracts } from '../src/all.ts'
import { openApiDocument } from '../src/openapi.ts'
import { formatDocument } from '../src/openapi-format.ts'

const document = openApiDocument(contracts)

test.each(contracts.map((contract) => [contract.service, contract] as const))(
  'the committed document of %s is generated from its contract (update it with `node scripts/openapi.mjs`)',
  (service, contract) => {
    const committed = readFileSync(new URL(`../openapi/${service}.json`, import.meta.url), 'utf8')
    const generated = formatDocument(openApiDocument([contract]))
    expect(JSON.parse(generated)).toEqual(openApiDocument([contract]))
    expect(committed).toBe(generated)
  },
)

test('no document of a service that does not exist is committed', () => {
  const files = readdirSync(new URL('../openapi', import.meta.url))
  expect(files.sort()).toEqual(contracts.map(({ service }) => `${service}.json`).sort())
})

interface Node {
  readonly [key: string]: unknown
}

/** Properties and parameters without a description; a reference is described where it leads. */
function undescribed(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => undescribed(item, `${path}/${index}`))
  if (typeof value !== 'object' || value === null) return []
  const node = value as Node
  const isParameter = typeof node['in'] === 'string' && typeof node['name'] === 'string'
  const own = isParameter && node['description'] === undefined ? [path] : []
  const inner = Object.entries(node).flatMap(([key, member]) => {
    if (key === 'example' || key === 'examples') return []
    const fields = key === 'properties' ? Object.entries(member as Readonly<Record<string, Node>>) : []
    const lacking = fields.filter(([, { description, $ref, enum: names }]) => {
      return description === undefined && $ref === undefined && names === undefined
    })
    return [...lacking.map(([name]) => `${path}/${name}`), ...undescribed(member, `${path}/${key}`)]
  })
  return [...own, ...inner]
}

test('every field and every parameter is described', () => {
  expect(undescribed(document, '')).toEqual([])
})

test('the core resources are named schemas', () => {
  const { schemas } = document['components'] as { schemas: object }
  const names = [
    'ApiKey',
    'Role',
    'WebhookSubscription',
    'Delivery',
    'DeadLetter',
    'Transaction',
    'AuditRecord',
    'Problem',
  ]
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining(names))
})

test('a webhook needs no credential and documents its signature headers', () => {
  const webhooks = Object.values(document['webhooks'] as Record<string, { post: Node }>)
  for (const { post } of webhooks) {
    expect(post['security']).toEqual([])
    expect(post['parameters']).toHaveLength(4)
  }
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
