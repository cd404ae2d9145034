import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { type Audience, contract, type Endpoint } from '../src/grammar/contract.ts'
import { openApiDocument } from '../src/openapi/document.ts'

const made = (audience: Audience, permission?: 'rbac:ReadRole', callers?: readonly string[]) => () => {
  const look = { method: 'GET', path: '/v1/a/x', audience, summary: 'Look.', replies: { 200: z.object() } } as const
  const more = { ...(permission === undefined ? {} : { permission }), ...(callers === undefined ? {} : { callers }) }
  const endpoints = { look: { ...look, ...more } }
  return contract({ service: 'a', description: 'A.', problems: {}, events: {}, endpoints })
}

test('a contract does not load with an endpoint for tenants that declares no permission, nor with another that does', () => {
  expect(made('tenant', 'rbac:ReadRole')).not.toThrow()
  expect(made('tenant')).toThrow('a.look: a tenant endpoint, and no other, declares a permission')
  expect(made('internal', undefined, ['b'])).not.toThrow()
  expect(made('internal', 'rbac:ReadRole', ['b'])).toThrow('declares a permission')
  expect(made('public', 'rbac:ReadRole')).toThrow('declares a permission')
})

test('a contract does not load with an internal endpoint that lists no callers, nor with another that lists some', () => {
  const complaint = 'a.look: an internal endpoint, and no other, lists its callers'
  for (const callers of [undefined, []]) expect(made('internal', undefined, callers)).toThrow(complaint)
  expect(made('tenant', 'rbac:ReadRole', ['b'])).toThrow(complaint)
  expect(made('public', undefined, ['b'])).toThrow(complaint)
})

const withEndpoint = (more: Partial<Endpoint<never>>) => () => {
  const look = { method: 'GET', path: '/v1/a/x', audience: 'authenticated', summary: 'Look.' } as const
  const endpoints = { look: { ...look, replies: { 200: z.object() }, ...more } }
  return contract({ service: 'a', description: 'A.', problems: {}, events: {}, endpoints })
}

test('a contract does not load with cookies of an endpoint that is no page', () => {
  const page = { audience: 'public', page: [200], replies: {} } as const
  expect(withEndpoint({ ...page, cookies: ['__Host-a'] })).not.toThrow()
  expect(withEndpoint({ cookies: ['__Host-a'] })).toThrow('a.look: only a page has cookies')
})

test('a contract does not load with an endpoint of credentials or processes that servers call', () => {
  expect(withEndpoint({ audience: 'public', calledByServers: true })).not.toThrow()
  expect(withEndpoint({ calledByServers: true })).toThrow('a.look: only a public endpoint is called by servers')
})

test('a contract does not load with a sensitive endpoint that anyone or a process may call', () => {
  expect(withEndpoint({ sensitive: true })).not.toThrow()
  expect(withEndpoint({ sensitive: true, audience: 'tenant', permission: 'rbac:ReadRole' })).not.toThrow()
  const complaint = 'a.look: a sensitive endpoint is one of credentials'
  expect(withEndpoint({ sensitive: true, audience: 'public' })).toThrow(complaint)
  expect(withEndpoint({ sensitive: true, audience: 'internal', callers: ['b'] })).toThrow(complaint)
})

test('a contract does not load with an endpoint that reveals a secret and is not sensitive', () => {
  const reveal = { audience: 'tenant', permission: 'rbac:ReadRole', reveals: true } as const
  expect(withEndpoint({ ...reveal, sensitive: true })).not.toThrow()
  expect(withEndpoint(reveal)).toThrow('a.look: an endpoint that reveals a secret is sensitive')
})

test('OpenAPI names step_up_required and the age of the sign-in at sensitive endpoints, and at no other', () => {
  const describeOperation = (more: Partial<Endpoint<never>>) => {
    const document = openApiDocument([withEndpoint(more)()]) as { paths: object }
    return JSON.stringify([document.paths, (document as unknown as { components: object }).components])
  }
  expect(describeOperation({ sensitive: true })).toContain('step_up_required')
  expect(describeOperation({ sensitive: true })).toContain(
    'With a session, requires a sign-in of the last five minutes.',
  )
  expect(describeOperation({})).not.toMatch(/step_up_required|five minutes/)
})

const ending = (since: string, sunset: string) => {
  const deprecated = { since, sunset, link: '/docs/changelog' } as const
  const look = { method: 'GET', path: '/v1/a/x', audience: 'authenticated', summary: 'Look.', deprecated } as const
  return contract({
    service: 'a',
    description: 'A.',
    problems: {},
    events: {},
    endpoints: { look: { ...look, description: 'At x.', replies: { 200: z.object() } } },
  })
}

test('OpenAPI marks a deprecated endpoint, and says until when it is served and what to read', () => {
  const { paths } = openApiDocument([ending('2026-01-31', '2027-01-31')]) as { paths: object }
  const text = 'Deprecated since 2026-01-31, and served until 2027-01-31: `/docs/changelog` says what to use instead.'
  expect(paths).toMatchObject({
    '/v1/a/x': { get: { deprecated: true, description: expect.stringMatching(`^${text}\n\nAt x.\n\n`) } },
  })
})

test('OpenAPI has the headers of a deprecated endpoint in each of its responses, and in no response of another', () => {
  const { paths, components } = openApiDocument([ending('2026-01-31', '2027-01-31')]) as {
    paths: Record<string, Record<string, { responses: Record<string, { headers: object }> }>>
    components: { headers: object }
  }
  const responses = Object.values(paths['/v1/a/x']?.['get']?.responses ?? {})
  expect(responses.length).toBeGreaterThan(5)
  const [deprecation, sunset, link] = ['Deprecation', 'Sunset', 'DeprecationLink'].map((name) => ({
    $ref: `#/components/headers/${name}`,
  }))
  for (const { headers } of responses)
    expect(headers).toMatchObject({ Deprecation: deprecation, Sunset: sunset, Link: link })
  expect(Object.keys(components.headers)).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'DeprecationLink']))
  expect(JSON.stringify(openApiDocument([made('authenticated')()]))).not.toMatch(/Deprecation|Sunset/)
})

test('a contract does not load with an endpoint that ends less than a year after its deprecation', () => {
  for (const [since, sunset] of [
    ['2026-01-31', '2027-01-30'],
    ['2026-01-31', '2025-01-31'],
    ['2026-01-31', 'next year'],
    ['2026-01-31T00:00:00Z', '2028-01-31'],
    ['2026-13-31', '2028-01-31'],
  ] as const) {
    expect(() => ending(since, sunset)).toThrow('a.look: a sunset is a day at least a year after the deprecation')
  }
})
