import { expect, test } from '@jest/globals'
import { assertedPermissions } from '../src/grammar/asserted-permissions.ts'
import { missingPermissions, permissionNames } from '../src/grammar/permission.ts'

const added = new Set(['invitetopay:RevealCode'] as const)
const previous = new Set(permissionNames.filter((permission) => permission !== 'invitetopay:RevealCode'))

test('names each permission that the caller lacks once, sorted', () => {
  const granted = ['rbac:ReadRole', 'audit:ReadRecord', 'rbac:ReadRole', 'apikey:ReadKey'] as const
  expect(missingPermissions(new Set(['apikey:ReadKey']), granted)).toEqual(['audit:ReadRecord', 'rbac:ReadRole'])
})

test('an administrator of the previous release lacks no permission that this release introduced', () => {
  expect(missingPermissions(previous, permissionNames, added)).toEqual([])
  expect(missingPermissions(previous, permissionNames, new Set())).toEqual(['invitetopay:RevealCode'])
})

test('any other caller lacks a permission that this release introduced', () => {
  const viewer = new Set([...previous].filter((permission) => permission !== 'apikey:DeleteKey'))
  expect(missingPermissions(viewer, ['invitetopay:RevealCode'], added)).toEqual(['invitetopay:RevealCode'])
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
