import { newId } from '@payments/chassis/id'
import type { Command } from 'commander'
import { wholeNumber } from '../arguments.ts'
import { printFields, printJson } from '../output.ts'
import type { Services } from '../services.ts'

/** `webhooks purge`: what the dispatcher's retention does in its own time, at once. */
export function webhooksCommands(program: Command, services: () => Services): void {
  program
    .command('webhooks')
    .description('keep the deliveries of webhooks')
    .command('purge')
    .description('forget events, deliveries and attempts of days longer ago')
    .requiredOption('--keep-days <n>', 'how many days are kept, 1 to 3650', wholeNumber(1, 3650))
    .option('--json', 'print JSON')
    .action(async ({ keepDays, json }: { keepDays: number; json?: true }) => {
      const done = await services().webhooks.purgeDeliveries({ traceId: newId() }, { body: { keep_days: keepDays } })
      if (json) printJson(done)
      else printFields({ ...done })
    })
}
