import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { type Audience, contract } from '../src/contract.ts'

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
