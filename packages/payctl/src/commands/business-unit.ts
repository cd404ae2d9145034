import type { Command } from 'commander'
import { uuid, visibleName } from '../arguments.ts'
import { printResult } from '../output.ts'
import { newContext, type Services } from '../services.ts'

export function businessUnitCommands(program: Command, services: () => Services): void {
  program
    .command('business-unit')
    .description('provision business units of tenants')
    .command('provision')
    .description('create a business unit, outside of production with a sandbox, unless the tenant has the unit')
    .requiredOption('--tenant <id>', 'id of the tenant', uuid)
    .requiredOption('--unit <id>', 'id of the business unit', uuid)
    .requiredOption('--name <name>', 'name of a created unit', visibleName)
    .option('--json', 'print JSON')
    .action(async ({ tenant, unit, name, json }: { tenant: string; unit: string; name: string; json?: true }) => {
      const provisioned = await provision(services(), newContext(), { tenant, unit, name })
      printResult(provisioned, json)
    })
}

/** The ids of the unit and of its default payment orchestrator; a unit that the tenant has stays as it is. */
export async function provision(
  { businessUnit }: Pick<Services, 'businessUnit'>,
  context: { readonly traceId: string },
  { tenant, unit, name }: { readonly tenant: string; readonly unit: string; readonly name: string },
): Promise<{ business_unit_id: string; payment_orchestrator_id: string | null }> {
  const provisioned = await businessUnit.provisionBusinessUnit(context, {
    params: { tenant_id: tenant },
    body: { business_unit_id: unit, name },
  })
  const main = provisioned.payment_orchestrators.find((one) => one.is_default)
  return { business_unit_id: provisioned.business_unit.id, payment_orchestrator_id: main?.id ?? null }
}
