import { newId } from '@payments/chassis/base/id'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { Problem } from '@payments/contracts/grammar/problem'
import { type Tenant, type TenantStatus, tenantStatuses } from '@payments/contracts/services/rbac/contract'
import { type Command, Option } from 'commander'
import { commandFailure, emailAddress, usageError, uuid, visibleName } from '../arguments.ts'
import { tenantListColumns } from '../columns.ts'
import { type KeyOptions, keyOptions, shownKeyFields, withKeyOutput } from '../key-output.ts'
import { printFields, printJson, printResult, problemText } from '../output.ts'
import { newContext, type Services } from '../services.ts'
import { listAction } from '../table.ts'
import { provision } from './business-unit.ts'
import { type InvitedUser, inviteUser, linkOption } from './user.ts'

export function tenantCommands(program: Command, services: () => Services): void {
  const tenant = program.command('tenant').description('onboard, list, show, suspend and resume tenants')

  createCommand(tenant, services)
  listCommand(tenant, services)
  showCommand(tenant, services)

  for (const [verb, operation, description] of [
    ['suspend', 'suspendTenant', 'refuse every credential of a tenant from the next request on'],
    ['resume', 'resumeTenant', 'lift the suspension of a tenant'],
  ] as const) {
    tenant
      .command(verb)
      .argument('<id>', 'id of the tenant', uuid)
      .description(description)
      .option('--json', 'print JSON')
      .action(async (id: string, { json }: { json?: true }) => {
        const found = await services().rbac[operation](newContext(), { params: { tenant_id: id } })
        const { id: tenant_id, name, status } = found
        printResult({ tenant_id, status }, json, { tenant_id, name, status })
      })
  }
}

interface CreateOptions extends KeyOptions {
  name: string
  adminEmail?: string
  printLink?: true
  json?: true
}

function createCommand(tenant: Command, services: () => Services): void {
  const create = tenant
    .command('create')
    .description(
      'onboard a tenant: built-in roles, a business unit with a sandbox (none in prod), a first key of an admin. ' +
        'The value of the key is shown once: if it is lost, an administrator who signs in creates another',
    )
    .requiredOption('--name <name>', 'name of the tenant, and of its business unit', visibleName)
    .option('--admin-email <email>', 'invite this person as the first administrator', emailAddress)
  keyOptions(linkOption(create))
    .option('--json', 'print JSON')
    .action(({ name, adminEmail, printLink, ...options }: CreateOptions) => {
      if (printLink && adminEmail === undefined) throw usageError('--print-link needs --admin-email')
      return withKeyOutput(options, async (show) => {
        const { user_invitation: invited, ...onboarded } = await onboard(services(), { name, adminEmail, printLink })
        const { id, value } = onboarded.api_key
        const shown = show(value)
        if (options.json) {
          const invitation = invited === undefined ? {} : { user_invitation: invited }
          return printJson({ ...onboarded, ...invitation, api_key: { id, ...shown } })
        }
        printFields({
          tenant_id: onboarded.tenant_id,
          business_unit_id: onboarded.business_unit_id,
          payment_orchestrator_id: onboarded.payment_orchestrator_id,
          ...Object.fromEntries(onboarded.roles.map((role) => [`role ${role.name}`, role.id])),
          ...invitationFields(invited),
          'api key id': id,
          ...shownKeyFields(shown),
        })
      })
    })
}

function invitationFields(invited: InvitedUser | undefined): Record<string, unknown> {
  if (invited === undefined) return {}
  const { id, email, expires_at, url } = invited
  const link = url === undefined ? {} : { 'invitation link': url }
  return { 'user invitation id': id, 'invited email': email, 'invitation expires at': expires_at, ...link }
}

function listCommand(tenant: Command, services: () => Services): void {
  const list = tenant
    .command('list')
    .description('list tenants, newest first')
    .addOption(new Option('--status <status>', 'only tenants with this status').choices(tenantStatuses))
  listAction(list, ['rows', 50], async ({ status }: { status?: TenantStatus }, all) => {
    const { rbac } = services()
    const items = await all((page) =>
      rbac.listTenants(newContext(), { query: { ...definedMembers({ status }), ...page } }),
    )
    return { items, columns: tenantListColumns, json: items.map(toFields) }
  })
}

/** Shows the facts that `key issue` and `token` depend on: names of roles, and whether there is a usable API key. */
function showCommand(tenant: Command, services: () => Services): void {
  tenant
    .command('show')
    .argument('<id>', 'id of the tenant', uuid)
    .description('show a tenant: status, roles, and the number of its API keys')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      const { rbac, apiKey } = services()
      const call = { params: { tenant_id: id } }
      const found = await rbac.readTenant(newContext(), call)
      const keys = await apiKey.countKeys(newContext(), call)
      if (json) return printJson({ ...toFields(found), roles: found.roles, api_keys: keys })
      printFields({
        ...toFields(found),
        ...Object.fromEntries(found.roles.map((role) => [`role ${role.name}`, role.id])),
        'api keys': keys.total,
        'usable api keys': keys.usable,
      })
    })
}

const toFields = ({ id, ...fields }: Tenant) => ({
  tenant_id: id,
  name: fields.name,
  status: fields.status,
  created_at: fields.created_at,
  updated_at: fields.updated_at,
})

/** The key comes last: its value is shown once. An error after the creation of the tenant names what is missing. */
export async function onboard(
  { rbac, apiKey, businessUnit, identity }: Services,
  { name, adminEmail: email, printLink }: { name: string; adminEmail: string | undefined; printLink: true | undefined },
) {
  const context = newContext()
  const { tenant, roles } = await rbac.createTenant(context, { body: { name } })
  const missing = ['business-unit provision', ...(email === undefined ? [] : ['user invite']), 'key issue']
  const complete = async <R>(command: string, step: Promise<R>): Promise<R> => {
    const done = await step.catch((error: unknown) => {
      throw error instanceof Problem ? incompleteError(tenant.id, missing, error) : error
    })
    missing.splice(missing.indexOf(command), 1)
    return done
  }
  const unit = await complete(
    'business-unit provision',
    provision({ businessUnit }, context, { tenant: tenant.id, unit: newId(), name }),
  )
  const invited =
    email === undefined
      ? undefined
      : await complete('user invite', inviteUser({ identity }, { tenant: tenant.id, email, role: 'admin', printLink }))
  const key = await complete(
    'key issue',
    apiKey.issueKey(context, {
      params: { tenant_id: tenant.id },
      body: { name: 'First key', description: 'Made when the tenant was onboarded', role_name: 'admin' },
    }),
  )
  return {
    tenant_id: tenant.id,
    ...unit,
    roles,
    user_invitation: invited,
    api_key: { id: key.id, value: key.value },
  }
}

function incompleteError(tenant: string, missing: readonly string[], problem: Problem): Error {
  const commands = missing.map((command) => `payctl ${command}`).join(', ')
  return commandFailure(`${problemText(problem)}; the tenant ${tenant} was created, and misses: ${commands}`)
}
