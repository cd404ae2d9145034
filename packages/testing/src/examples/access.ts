import { randomUUID } from 'node:crypto'
import { findExample } from './recorder.ts'
import type { Scenario } from './scenario.ts'

/** API keys, roles and permissions. */
export async function recordAccess({ recorder, credentialHeaders, roleIds }: Scenario): Promise<void> {
  await recorder.record('listPermissions', { query: { limit: 3 } })
  const { id: role_id } = await recorder.record('createRole')
  await recorder.record('readRole', { path: { role_id } })
  await recorder.record('listRoles', { query: { limit: 2 } })
  const { id: api_key_id, value } = await recorder.record('createKey')
  const path = { api_key_id }
  await recorder.record('assignRoles', { path, body: { role_ids: [role_id] } })
  await recorder.record('listKeys', { query: { limit: 2 } })
  await recorder.record('readKey', { path })
  await recorder.record('readOwnKey')
  await recorder.record('readKeyPermissions', { path, query: { limit: 2 } })
  await recorder.record('revealKey', { path })
  await rejectRequests(recorder, credentialHeaders(value), { path, role_id, builtIn: roleIds.get('viewer') ?? '' })
  await recorder.record('rotateKey', { path })
  await recorder.record('updateKey', { path })
  await recorder.record('updateRole', { path: { role_id } })
  await recorder.record('deleteKey', { path })
  await recorder.record('deleteRole', { path: { role_id } })
}

interface Rejected {
  readonly path: { readonly api_key_id: string }
  readonly role_id: string
  readonly builtIn: string
}

async function rejectRequests(
  recorder: Scenario['recorder'],
  limited: Readonly<Record<string, string>>,
  { path, role_id, builtIn }: Rejected,
): Promise<void> {
  const unknown = { ...limited, Authorization: 'Bearer psk_dev_unknown' }
  await recorder.reject('invalid_credentials', 'readOwnKey', { headers: unknown })
  await recorder.reject('permission_denied', 'listKeys', { headers: limited })
  await recorder.reject('invalid_header', 'readOwnKey', { headers: { ...limited, 'Trace-ID': 'request-1' } })
  await recorder.reject('invalid_request', 'createKey', { body: { name: '', description: '', color: 'red' } })
  await recorder.reject('key_not_found', 'readKey', { path: { api_key_id: randomUUID() } })
  await recorder.reject('unknown_role', 'assignRoles', { path, body: { role_ids: [randomUUID()] } })
  await recorder.reject('role_not_found', 'readRole', { path: { role_id: randomUUID() } })
  await recorder.reject('role_name_taken', 'createRole')
  await recorder.reject('role_in_use', 'deleteRole', { path: { role_id } })
  await recorder.reject('built_in_role', 'updateRole', { path: { role_id: builtIn } })
  const permissions = ['transaction:ReadEverything']
  await recorder.reject('unknown_permission', 'createRole', { body: { ...findExample('createRole'), permissions } })
}
