/**
 * The people of the demo tenant, who sign in at the development provider: an administrator, a developer with a role of
 * the tenant's own, and a viewer. Each is invited once; who is a user of the tenant stays as the tenant left them.
 */
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { UserError } from '../machine/user-error.ts'
import { developmentPeople } from '../sign-in/people.ts'
import { callAsDemo, type Demo } from './demo.ts'

const developer = {
  name: 'developer',
  description: 'Integrates the platform: API keys, webhooks, payments and invitations to pay',
  permissions: permissionNames.filter(isOfDeveloper),
}

function isOfDeveloper(permission: Permission): boolean {
  const keys = ['apikey:ReadKey', 'apikey:CreateKey', 'apikey:AssignRoles', 'rbac:ReadRole']
  return keys.includes(permission) || /^(webhook|deadletter|transaction|invitetopay|businessunit:Read)/.test(permission)
}

/** By the ids of the development provider. */
const roleNames: Readonly<Record<string, string>> = { ada: 'admin', dev: developer.name, viv: 'viewer' }

/** An invitation that expired is not open, so the person is invited again. */
const invited = ['already_member', 'user_invitation_exists']

export async function ensureDemoPeople(gatewayUrl: string, demo: Demo): Promise<void> {
  const roles = await readRoleIds(gatewayUrl, demo)
  for (const { id, email } of developmentPeople) {
    const role_ids = [roles.get(roleNames[id] ?? 'viewer')]
    const { status, body } = await callAsDemo(gatewayUrl, demo, 'POST', '/v1/identity/user-invitations', {
      email,
      role_ids,
    })
    if (status !== 201 && !invited.includes(body.code)) throw toUserError(`the invitation of ${id}`, body)
  }
}

/** The ids of the roles of the tenant, by name. Creates the role of developers. */
async function readRoleIds(gatewayUrl: string, demo: Demo): Promise<ReadonlyMap<string, string>> {
  const path = '/v1/rbac/roles'
  const { status, body } = await callAsDemo(gatewayUrl, demo, 'GET', `${path}?limit=200`)
  if (status !== 200) throw toUserError('the list of roles', body)
  const roles = new Map((body.data as { id: string; name: string }[]).map(({ id, name }) => [name, id]))
  if (roles.has(developer.name)) return roles
  const created = await callAsDemo(gatewayUrl, demo, 'POST', path, developer)
  if (created.status !== 201) throw toUserError('the role of developers', created.body)
  return roles.set(developer.name, created.body.id)
}

function toUserError(what: string, body: unknown): UserError {
  return new UserError(`The gateway rejected ${what} of the demo tenant: ${JSON.stringify(body)}`)
}
