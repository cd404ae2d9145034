import { rotationProblems } from '../../endpoints/key-rotation.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { ownKeyProblems } from '../../problems/own-key.ts'
import { ownRotationProblems } from '../../problems/own-key-rotation.ts'
import { unknownRoleProblems } from '../../problems/unknown-role.ts'

export const problems = defineProblems({
  key_not_found: {
    status: 404,
    title: 'API key not found',
    explanation: 'The tenant has no API key with this id. The key may have been deleted.',
  },
  not_an_api_key: {
    status: 404,
    title: 'The credential is not an API key',
    explanation: 'The request has the JWT of a user. Only an API key can read itself.',
  },
  ...unknownRoleProblems,
  ...ownKeyProblems,
  ...ownRotationProblems,
  too_many_keys: {
    status: 409,
    title: 'Too many API keys',
    explanation: 'A tenant can have 1000 API keys. Delete unused ones.',
  },
  tenant_has_key: {
    status: 409,
    title: 'The tenant has a usable API key',
    explanation:
      'Operators issue an API key only to a tenant without a usable one. An API key is usable while it is enabled, has not expired and has a role.',
  },
  expiry_in_the_past: {
    status: 422,
    title: 'The expiry is in the past',
    explanation: 'Send an `expires_at` in the future, or null for a key that does not expire.',
  },
  value_replaced: {
    status: 409,
    title: 'The value that this request created has been replaced',
    explanation:
      'The Idempotency-Key belongs to a value that no longer exists, because the API key has been rotated. Nothing was changed. Reveal the API key to see its current value.',
  },
  tenant_not_found: {
    status: 404,
    title: 'Tenant not found',
    explanation: 'No tenant has this id.',
  },
  ...rotationProblems,
})
