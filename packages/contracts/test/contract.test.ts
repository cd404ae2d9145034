import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { type Audience, contract } from '../src/contract.ts'

const made = (audience: Audience, permission?: 'rbac:ReadRole') => () => {
  const look = { method: 'GET', path: '/v1/a/x', audience, summary: 'Look.', replies: { 200: z.object() } } as const
  const endpoints = { look: permission === undefined ? look : { ...look, permission } }
  return contract({ service: 'a', description: 'A.', problems: {}, events: {}, endpoints })
}

test('a contract does not load with an endpoint for tenants that declares no permission, nor with another that does', () => {
  expect(made('tenant', 'rbac:ReadRole')).not.toThrow()
  expect(made('tenant')).toThrow('a.look: a tenant endpoint, and no other, declares a permission')
  expect(made('internal')).not.toThrow()
  expect(made('internal', 'rbac:ReadRole')).toThrow('declares a permission')
  expect(made('public', 'rbac:ReadRole')).toThrow('declares a permission')
})
