import { newId } from '@payments/chassis/id'
import type { Command } from 'commander'
import { shortText, uuid } from '../arguments.ts'
import { printFields, printJson } from '../output.ts'
import type { Services } from '../services.ts'

interface Options {
  tenant: string
  role: string
  name: string
  json?: true
}

/** `key issue`. The value of the key is on standard output, and nowhere else. */
export function keyCommands(program: Command, services: () => Services): void {
  program
    .command('key')
    .description('issue API keys')
    .command('issue')
    .description(
      'issue an API key to a tenant without a usable one. ' +
        'The value of the key is printed once: if it is lost, the tenant needs a JWT issuer',
    )
    .requiredOption('--tenant <id>', 'id of the tenant', uuid)
    .requiredOption('--role <name>', 'name of a role of the tenant', shortText(200))
    .option('--name <name>', 'name of the API key', shortText(200), 'Issued by an operator')
    .option('--json', 'print JSON')
    .action(async ({ tenant, role, name, json }: Options) => {
      const key = await services().apiKey.issueKey(
        { traceId: newId() },
        { params: { tenant_id: tenant }, body: { name, description: 'Issued with payctl', role_name: role } },
      )
      const issued = { tenant_id: tenant, role, api_key: { id: key.id, name: key.name, value: key.value } }
      if (json) return printJson(issued)
      printFields({ tenant_id: tenant, role, 'api key id': key.id, 'api key': key.value })
    })
}
