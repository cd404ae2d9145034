import type { Command } from 'commander'
import { shortText, uuid } from '../arguments.ts'
import { type KeyOptions, keyOptions, shownKeyFields, withKeyOutput } from '../key-output.ts'
import { printFields, printJson } from '../output.ts'
import { newContext, type Services } from '../services.ts'
import { withKnownRole } from '../tenants.ts'

interface Options extends KeyOptions {
  tenant: string
  role: string
  name: string
  json?: true
}

export function keyCommands(program: Command, services: () => Services): void {
  const issue = program
    .command('key')
    .description('issue API keys')
    .command('issue')
    .description(
      'issue an API key to a tenant without a usable one. ' +
        'The value of the key is shown once: if it is lost, an administrator who signs in creates another',
    )
    .requiredOption('--tenant <id>', 'id of the tenant', uuid)
    .requiredOption('--role <name>', 'name of a role of the tenant', shortText(200))
    .option('--name <name>', 'name of the API key', shortText(200), 'Issued by an operator')
  keyOptions(issue)
    .option('--json', 'print JSON')
    .action(({ tenant, role, name, ...options }: Options) =>
      withKeyOutput(options, async (show) => {
        const { apiKey, rbac } = services()
        const body = { name, description: 'Issued with payctl', role_name: role }
        const { id, ...key } = await withKnownRole({ rbac }, { tenant, role }, () =>
          apiKey.issueKey(newContext(), { params: { tenant_id: tenant }, body }),
        )
        const shown = show(key.value)
        if (options.json) return printJson({ tenant_id: tenant, role, api_key: { id, name: key.name, ...shown } })
        printFields({ tenant_id: tenant, role, 'api key id': id, ...shownKeyFields(shown) })
      }),
    )
}
