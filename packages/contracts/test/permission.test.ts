import { expect, test } from '@jest/globals'
import { assertedPermissions } from '../src/grammar/asserted-permissions.ts'
import { missingPermissions } from '../src/grammar/permission.ts'

test('names each permission that the caller lacks once, sorted', () => {
  const granted = ['rbac:ReadRole', 'audit:ReadRecord', 'rbac:ReadRole', 'apikey:ReadKey'] as const
  expect(missingPermissions(new Set(['apikey:ReadKey']), granted)).toEqual(['audit:ReadRecord', 'rbac:ReadRole'])
})

test('an assertion names held permissions alone: those that the endpoint needs and its handler reads', () => {
  const held = ['rbac:ReadRole', 'rbac:UpdateRole', 'audit:ReadRecord'] as const
  const permission = 'rbac:UpdateRole'
  expect([
    assertedPermissions({ permission }, held),
    assertedPermissions({ permission, readsPermissions: ['audit:ReadRecord', 'apikey:ReadKey'] }, held),
    assertedPermissions({ permission, readsPermissions: 'all' }, held),
    assertedPermissions({ permission: 'apikey:ReadKey', readsPermissions: ['rbac:ReadRole'] }, held),
    assertedPermissions({}, held),
  ]).toEqual([[permission], [permission, 'audit:ReadRecord'], held, ['rbac:ReadRole'], []])
})
