import { newId } from '@payments/chassis/id'
import { type Command, CommanderError } from 'commander'
import { printFields, printJson, printTable } from '../output.ts'
import type { Services } from '../services.ts'

interface Choice {
  id?: string[]
  all?: true
  json?: true
}

/** `dlq list|peek|redrive|discard`: the operators' bench for dead letters. */
export function dlqCommands(program: Command, services: () => Services): void {
  const dlq = program.command('dlq').description('inspect, redrive and discard dead letters')

  dlq
    .command('list')
    .description('list the dead-letter queues')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { data } = await services().webhooks.listDeadLetterQueues({ traceId: newId() }, {})
      if (json) return printJson(data)
      printTable(
        ['queue', 'depth', 'oldest'],
        data.map((queue) => [queue.name, queue.depth, queue.oldest_at]),
      )
    })

  dlq
    .command('peek <queue>')
    .description('look at dead letters, oldest first, without taking them')
    .option('--limit <n>', 'how many at the most, up to 1000', '20')
    .option('--json', 'print JSON')
    .action(async (queue: string, { limit, json }: { limit: string; json?: true }) => {
      const call = { params: { queue }, query: { limit } }
      const { data } = await services().webhooks.peekDeadLetters({ traceId: newId() }, call)
      if (json) return printJson(data)
      printTable(
        ['id', 'tenant', 'event type', 'destination', 'attempts', 'last error', 'dead since'],
        data.map((letter) => [
          letter.id,
          letter.tenant_id,
          letter.event_type,
          letter.destination_url,
          letter.attempts,
          letter.last_error,
          letter.dead_at,
        ]),
      )
    })

  for (const [verb, description] of [
    ['redrive', 'give dead letters a fresh schedule'],
    ['discard', 'give dead letters up for good'],
  ] as const) {
    dlq
      .command(`${verb} <queue>`)
      .description(description)
      .option('--id <id...>', 'the dead letters with these ids')
      .option('--all', 'every dead letter of the queue')
      .option('--json', 'print JSON')
      .action(async (queue: string, choice: Choice) => {
        const call = { params: { queue }, body: chosen(choice) }
        const context = { traceId: newId() }
        const { webhooks } = services()
        const done =
          verb === 'redrive'
            ? await webhooks.redriveDeadLetters(context, call)
            : await webhooks.discardDeadLetters(context, call)
        if (choice.json) printJson(done)
        else printFields({ ...done })
      })
  }
}

function chosen({ id, all }: Choice): { ids: string[] } | { all: true } {
  if ((id === undefined) === (all === undefined)) {
    throw new CommanderError(1, 'payctl.refused', 'give either --id or --all')
  }
  return id === undefined ? { all: true } : { ids: id }
}
