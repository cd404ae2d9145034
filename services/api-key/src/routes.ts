import type { Handlers } from '@payments/chassis/request/router'
import type { apiKey } from '@payments/contracts/services/api-key/contract'
import { secretHandlers } from '@payments/service/secret-handlers'
import type { Deps } from './deps.ts'
import { toKeyChanges, toKeyFilter, toKeyUse } from './domain/key.ts'
import { encryptedColumns } from './domain/key-value.ts'
import { assignRoles } from './verbs/assign-roles.ts'
import { countFailedAuthentications } from './verbs/count-failed-authentications.ts'
import { createKey } from './verbs/create-key.ts'
import { deleteKey } from './verbs/delete-key.ts'
import { identifyKey } from './verbs/identify-key.ts'
import { issueKey } from './verbs/issue-key.ts'
import {
  countKeys,
  countKeysWithRole,
  listKeys,
  readKey,
  readKeyPermissions,
  readKeyRoles,
  readOwnKey,
} from './verbs/read-keys.ts'
import { recordKeyUses } from './verbs/record-key-uses.ts'
import { revealKey } from './verbs/reveal-key.ts'
import { rotateKey } from './verbs/rotate-key.ts'
import { rotatePepper } from './verbs/rotate-pepper.ts'
import { takeReveal } from './verbs/take-reveal.ts'
import { updateKey } from './verbs/update-key.ts'

export const routes = (deps: Deps): Handlers<typeof apiKey> => ({
  createKey: (caller, { body: { name, description, expires_at: expiresAt, allowed_cidrs: allowedCidrs } }) =>
    createKey(deps, caller, { name, description, expiresAt, allowedCidrs: allowedCidrs ?? [] }),
  listKeys: (caller, { query }) => listKeys(deps, caller, query, toKeyFilter(query)),
  readOwnKey: (caller) => readOwnKey(deps, caller),
  readKey: (caller, { params }) => readKey(deps, caller, params.api_key_id),
  revealKey: (caller, { params }) => revealKey(deps, caller, params.api_key_id),
  updateKey: (caller, { params, body }) => updateKey(deps, caller, params.api_key_id, toKeyChanges(body)),
  assignRoles: (caller, { params, body }) => assignRoles(deps, caller, params.api_key_id, body.role_ids),
  rotateKey: (caller, { params, body }) => rotateKey(deps, caller, params.api_key_id, body.grace_period_seconds),
  readKeyPermissions: (caller, { params, query }) =>
    readKeyPermissions(deps, caller, params.api_key_id, { ...query, explain: query.explain === 'true' }),
  deleteKey: (caller, { params }) => deleteKey(deps, caller, params.api_key_id),
  identifyKey: (_, { body }) => identifyKey(deps, body.key_hash),
  recordKeyUses: (_, { body }) => recordKeyUses(deps, body.uses.map(toKeyUse)),
  issueKey: (caller, { params, body: { name, description, role_name: roleName } }) =>
    issueKey(deps, caller, params.tenant_id, { name, description, roleName }),
  countKeys: (_, { params }) => countKeys(deps, params.tenant_id),
  countKeysWithRole: (_, { params }) => countKeysWithRole(deps, params.tenant_id, params.role_id),
  readKeyRoles: (_, { params }) => readKeyRoles(deps, params.tenant_id, params.api_key_id),
  countFailedAuthentications: (_, { body: { address, failures, window_seconds: windowSeconds } }) =>
    countFailedAuthentications(deps, address, failures, windowSeconds),
  takeReveal: (_, { body: { tenant_id: tenantId, actor, reveals_max: attemptsMax, window_seconds: windowSeconds } }) =>
    takeReveal(deps, tenantId, actor, { attemptsMax, windowSeconds }),
  ...secretHandlers(encryptedColumns, { ...deps, vault: deps.values.vault }),
  rotatePepper: (_, { body }) => rotatePepper(deps, body),
})
