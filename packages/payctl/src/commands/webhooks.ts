import type { Command } from 'commander'
import { wholeNumber } from '../arguments.ts'
import { printResult } from '../output.ts'
import { newContext, type Services } from '../services.ts'

export function webhooksCommands(program: Command, services: () => Services): void {
  program
    .command('webhooks')
    .description('maintain deliveries of webhooks')
    .command('purge')
    .description('delete events, deliveries and attempts older than --keep-days')
    .requiredOption('--keep-days <n>', 'number of days to retain, 1 to 3650', wholeNumber(1, 3650))
    .option('--json', 'print JSON')
    .action(async ({ keepDays, json }: { keepDays: number; json?: true }) => {
      const done = await services().webhooks.purgeDeliveries(newContext(), { body: { keep_days: keepDays } })
      printResult(done, json)
    })
}
