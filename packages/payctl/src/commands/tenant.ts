import { newId } from '@payments/chassis/id'
import type { Command } from 'commander'
import { shortText, uuid } from '../arguments.ts'
import { printFields, printJson } from '../output.ts'
import type { Services } from '../services.ts'

/** `tenant create|show|suspend|resume`. */
export function tenantCommands(program: Command, services: () => Services): void {
  const tenant = program.command('tenant').description('onboard, show, suspend and resume tenants')

  tenant
    .command('create')
    .description('onboard a tenant: built-in roles, a business unit, a first API key with the admin role')
    .requiredOption('--name <name>', 'name of the tenant', shortText(200))
    .option('--json', 'print JSON')
    .action(async ({ name, json }: { name: string; json?: true }) => {
      const onboarded = await onboard(services(), name)
      if (json) return printJson(onboarded)
      printFields({
        tenant_id: onboarded.tenant_id,
        business_unit_id: onboarded.business_unit_id,
        ...Object.fromEntries(onboarded.roles.map((role) => [`role ${role.name}`, role.id])),
        'api key id': onboarded.api_key.id,
        'api key': onboarded.api_key.value,
      })
    })

  for (const [verb, operation, description] of [
    ['show', 'readTenant', 'show a tenant and whether it is suspended'],
    ['suspend', 'suspendTenant', 'refuse every credential of a tenant from the next request on'],
    ['resume', 'resumeTenant', 'lift the suspension of a tenant'],
  ] as const) {
    tenant
      .command(verb)
      .argument('<id>', 'of the tenant', uuid)
      .description(description)
      .option('--json', 'print JSON')
      .action(async (id: string, { json }: { json?: true }) => {
        const found = await services().rbac[operation]({ traceId: newId() }, { params: { tenant_id: id } })
        if (json) printJson({ tenant_id: found.id, status: found.status })
        else printFields({ tenant_id: found.id, name: found.name, status: found.status })
      })
  }
}

async function onboard({ rbac, apiKey }: Services, name: string) {
  const context = { traceId: newId() }
  const { tenant, roles } = await rbac.createTenant(context, { body: { name } })
  const admin = roles.filter((role) => role.name === 'admin').map((role) => role.id)
  const key = await apiKey.issueFirstKey(context, {
    params: { tenant_id: tenant.id },
    body: { name: 'First key', description: 'Made when the tenant was onboarded', role_ids: admin },
  })
  return {
    tenant_id: tenant.id,
    business_unit_id: newId(),
    roles,
    api_key: { id: key.id, value: key.value },
  }
}
