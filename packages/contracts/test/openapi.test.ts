import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { contracts } from '../src/edges/contracts.ts'
import type { Endpoint } from '../src/grammar/contract.ts'
import type { ProblemDefinition } from '../src/grammar/problem.ts'
import { openApiDocument } from '../src/openapi/document.ts'
import { formatDocument } from '../src/openapi/format.ts'

const document = openApiDocument(contracts)

test.each(contracts.map((contract) => [contract.service, contract] as const))(
  'the committed document of %s is generated from its contract (update it with `node scripts/texts/openapi.mjs`)',
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
function findUndescribed(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => findUndescribed(item, `${path}/${index}`))
  if (typeof value !== 'object' || value === null) return []
  const node = value as Node
  const isParameter = typeof node['in'] === 'string' && typeof node['name'] === 'string'
  const own = isParameter && node['description'] === undefined ? [path] : []
  const inner = Object.entries(node).flatMap(([key, member]) => {
    if (key === 'example' || key === 'examples') return []
    const fields = key === 'properties' ? Object.entries(member as Readonly<Record<string, Node>>) : []
    const lacking = fields.filter(([, { description, $ref }]) => description === undefined && $ref === undefined)
    return [...lacking.map(([name]) => `${path}/${name}`), ...findUndescribed(member, `${path}/${key}`)]
  })
  return [...own, ...inner]
}

test('every field, every parameter and every component is described', () => {
  expect(findUndescribed(document, '')).toEqual([])
  for (const kind of ['headers', 'parameters', 'responses'] as const) {
    const components = Object.entries(readComponents(kind))
    expect(components.filter(([, { description }]) => description === undefined)).toEqual([])
  }
})

function readComponents(kind: string): Readonly<Record<string, Node>> {
  return (document['components'] as Record<string, Record<string, Node>>)[kind] ?? {}
}

interface Operation {
  readonly operationId: string
  readonly security?: unknown
  readonly parameters: readonly { readonly $ref?: string }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Node }> }
  readonly responses: Record<string, { readonly $ref?: string; readonly headers?: object }>
}

const operations = Object.values(document['paths'] as Record<string, Record<string, Operation>>).flatMap((methods) =>
  Object.values(methods),
)

/** The component behind a reference, or the value itself. */
function resolveReference(value: { readonly $ref?: string } | undefined): Node {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec(value?.$ref ?? '') ?? []
  return readComponents(kind)[name] ?? (value as Node)
}

test('a pattern of the contract stands beside a format, and one of zod does not', () => {
  const { properties } = readComponents('schemas')['CreateKeyRequest'] as {
    properties: Record<string, { anyOf: Node[] }>
  }
  const [instant, none] = properties['expires_at']?.anyOf ?? []
  expect([instant?.['format'], none]).toEqual(['date-time', { type: 'null' }])
  const pattern = new RegExp(String(instant?.['pattern']))
  for (const accepted of ['1970-01-01T00:00:00Z', '1969-12-31T23:59:59-01:00', '9999-12-31T23:59:59.999+00:00']) {
    expect([accepted, pattern.test(accepted)]).toEqual([accepted, true])
  }
  for (const refused of ['0083-11-19T01:58:42Z', '1969-12-30T23:59:59-23:59', '2026-01-01t00:00:00z']) {
    expect([refused, pattern.test(refused)]).toEqual([refused, false])
  }
  const shown = readComponents('schemas')['ApiKey'] as { properties: Record<string, Node> }
  expect(shown.properties['updated_at']?.['pattern']).toBeUndefined()
})

test('every JSON body is a named schema', () => {
  const bodies = operations.flatMap(({ operationId, requestBody }) => {
    const schema = requestBody?.content['application/json']?.schema
    return schema === undefined || Object.keys(schema).length === 0 ? [] : [[operationId, typeof schema['$ref']]]
  })
  expect(bodies.length).toBeGreaterThan(30)
  expect(bodies.filter(([, type]) => type !== 'string')).toEqual([])
})

test('every problem with members is a named schema, which its responses refer to', () => {
  const withMembers = contracts.flatMap(({ problems }) =>
    Object.values<ProblemDefinition>(problems).filter(({ members }) => members !== undefined),
  )
  expect(withMembers.map(({ code }) => code)).toContain('payment_declined')
  for (const { code, members } of withMembers) {
    const name = `${code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Problem`
    const [, own] = (readComponents('schemas')[name]?.['allOf'] ?? []) as { properties?: object }[]
    expect([code, Object.keys(own?.properties ?? {})]).toEqual([code, ['code', ...Object.keys(members?.shape ?? {})]])
    expect(JSON.stringify(readComponents('responses'))).toContain(`"#/components/schemas/${name}"`)
  }
})

test('responses document the headers that are sent', () => {
  for (const { operationId, security, parameters, responses } of operations) {
    const isIdempotent = parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey'))
    for (const [status, response] of Object.entries(responses).filter(([key]) => /^\d/.test(key))) {
      const { headers = {}, description } = resolveReference(response)
      const names = Object.keys(headers as object)
      const isPage = 'text/html' in ((resolveReference(response)['content'] ?? {}) as object)
      const expected: [string, boolean][] = [
        ['Trace-ID', true],
        ['RateLimit', !isPage && status !== '431' && (security === undefined || status >= '400')],
        ['Location', status === '201' || (isPage && status === '303')],
        [
          'Retry-After',
          !isPage &&
            (['429', '503'].includes(status) ||
              /`(idempotency_key_in_use|operation_in_progress|resend_too_soon|role_being_deleted)`/.test(
                String(description),
              )),
        ],
        ['Idempotent-Replayed', isIdempotent && (status < '300' || status === '402' || status === '502')],
      ]
      expect([operationId, status, expected.filter(([name]) => names.includes(name)).map(([name]) => name)]).toEqual([
        operationId,
        status,
        expected.filter(([, isSent]) => isSent).map(([name]) => name),
      ])
    }
  }
})

test('every endpoint that is no page documents raw_card_data_not_allowed, because its query is inspected', () => {
  const inspected = contracts.flatMap(({ endpoints }) =>
    Object.entries<Endpoint>(endpoints).filter(
      ([, { audience, page }]) => audience !== 'internal' && page === undefined,
    ),
  )
  expect(inspected.length).toBeGreaterThan(100)
  for (const [name] of inspected) {
    const operation = operations.find(({ operationId }) => operationId === name)
    expect([name, JSON.stringify(resolveReference(operation?.responses['400']))]).toEqual([
      name,
      expect.stringContaining('"raw_card_data_not_allowed"'),
    ])
  }
})

test('every kind of credential is a security scheme, and an operation without one is public', () => {
  const { securitySchemes } = document['components'] as { securitySchemes: Record<string, Node> }
  const alternatives = document['security'] as Record<string, unknown>[]
  const used = new Set(alternatives.flatMap((one) => Object.keys(one)))
  expect([...used].sort()).toEqual(Object.keys(securitySchemes).sort())
  expect(securitySchemes['session']).toMatchObject({ type: 'apiKey', in: 'cookie', name: '__Host-session' })
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
