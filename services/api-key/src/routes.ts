import type { Handlers } from '@payments/chassis/router'
import type { apiKey } from '@payments/contracts/api-key'
import type { Deps } from './deps.ts'
import { changesOf } from './domain/key.ts'
import { assignRoles } from './verbs/assign-roles.ts'
import { countKeysWithRole } from './verbs/count-keys-with-role.ts'
import { createKey } from './verbs/create-key.ts'
import { deleteKey } from './verbs/delete-key.ts'
import { identifyKey } from './verbs/identify-key.ts'
import { issueFirstKey } from './verbs/issue-first-key.ts'
import { listKeys } from './verbs/list-keys.ts'
import { readKey } from './verbs/read-key.ts'
import { readKeyPermissions } from './verbs/read-key-permissions.ts'
import { revealKey } from './verbs/reveal-key.ts'
import { updateKey } from './verbs/update-key.ts'

export const routes = (deps: Deps): Handlers<typeof apiKey> => ({
  createKey: (caller, { body: { name, description, expires_at: expiresAt } }) =>
    createKey(deps, caller, { name, description, expiresAt }),
  listKeys: (caller, { query }) => listKeys(deps, caller, query),
  readKey: (caller, { params }) => readKey(deps, caller, params.api_key_id),
  revealKey: (caller, { params }) => revealKey(deps, caller, params.api_key_id),
  updateKey: (caller, { params, body }) => updateKey(deps, caller, params.api_key_id, changesOf(body)),
  assignRoles: (caller, { params, body }) => assignRoles(deps, caller, params.api_key_id, body.role_ids),
  readKeyPermissions: (caller, { params }) => readKeyPermissions(deps, caller, params.api_key_id),
  deleteKey: (caller, { params }) => deleteKey(deps, caller, params.api_key_id),
  identifyKey: (_, { body }) => identifyKey(deps, body.handle),
  issueFirstKey: (caller, { params, body: { name, description, role_ids: roleIds } }) =>
    issueFirstKey(deps, caller, params.tenant_id, { name, description, roleIds }),
  countKeysWithRole: (_, { params }) => countKeysWithRole(deps, params.tenant_id, params.role_id),
})
