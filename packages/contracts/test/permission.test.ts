import { expect, test } from '@jest/globals'
import { assertedPermissions } from '../src/grammar/asserted-permissions.ts'
import { requireHeldPermissions } from '../src/problems/held-permissions.ts'

test('names each permission that the caller lacks once, sorted', () => {
  const granted = ['rbac:ReadRole', 'audit:ReadRecord', 'rbac:ReadRole', 'apikey:ReadKey'] as const
  const extensions = { missing_permissions: ['audit:ReadRecord', 'rbac:ReadRole'] }
  const options = expect.objectContaining({ extensions })
  expect(() => requireHeldPermissions({ permissions: new Set(['apikey:ReadKey']) }, granted)).toThrow(
    expect.objectContaining({ code: 'would_exceed_own_permissions', options }),
  )
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
