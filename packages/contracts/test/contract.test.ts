import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { contract, type Endpoint } from '../src/contract.ts'

const made = (endpoint: Partial<Endpoint>) => () =>
  contract({
    service: 'a',
    problems: {},
    events: {},
    endpoints: {
      look: {
        method: 'GET',
        path: '/v1/a/x',
        audience: 'tenant',
        summary: 'Look.',
        replies: { 200: z.object() },
        ...endpoint,
      },
    },
  })

test('a contract does not load with an endpoint for tenants that declares no permission, nor with another that does', () => {
  expect(made({ permission: 'rbac:ReadRole' })).not.toThrow()
  expect(made({})).toThrow('a.look: a tenant endpoint, and no other, declares a permission')
  expect(made({ audience: 'internal' })).not.toThrow()
  expect(made({ audience: 'internal', permission: 'rbac:ReadRole' })).toThrow('declares a permission')
  expect(made({ audience: 'public', permission: 'rbac:ReadRole' })).toThrow('declares a permission')
})
