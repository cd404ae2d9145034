import { ConfigError } from '@payments/chassis/config'
import { Problem } from '@payments/contracts/problem'
import { Command, CommanderError } from 'commander'
import { auditCommands } from './commands/audit.ts'
import { dlqCommands } from './commands/dlq.ts'
import { secretsCommands } from './commands/secrets.ts'
import { tenantCommands } from './commands/tenant.ts'
import { tokenCommand } from './commands/token.ts'
import { webhooksCommands } from './commands/webhooks.ts'
import { readConfig } from './config.ts'
import { connectServices } from './services.ts'

const program = new Command('payctl').description("the platform operators' command line").exitOverride()
tenantCommands(program, () => connectServices(readConfig()))
tokenCommand(program, readConfig)
dlqCommands(program, () => connectServices(readConfig()))
auditCommands(program, () => connectServices(readConfig()))
secretsCommands(program, () => connectServices(readConfig()))
webhooksCommands(program, () => connectServices(readConfig()))

try {
  await program.parseAsync()
  process.exit(0)
} catch (error) {
  process.exit(explain(error))
}

/** One clear message for what is expected; a stack for what is a bug. Returns the exit code. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.code === 'payctl.refused') console.error(`payctl: ${error.message}`)
    return error.exitCode
  }
  if (error instanceof Problem) {
    console.error(`payctl: ${error.options.detail ?? error.title} (${error.code})`)
    for (const { pointer, detail } of error.options.errors ?? []) console.error(`  ${pointer}: ${detail}`)
  } else if (error instanceof ConfigError) {
    console.error(`payctl: ${error.message}`)
  } else {
    console.error(error)
  }
  return 1
}
