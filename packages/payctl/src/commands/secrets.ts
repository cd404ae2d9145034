import type { RotationProgress } from '@payments/contracts/endpoints/key-rotation'
import { Argument, type Command } from 'commander'
import { commandFailure, instant, wholeNumber } from '../arguments.ts'
import { printResult } from '../output.ts'
import { newContext, type Services } from '../services.ts'
import { generateCommand } from './secrets-generate.ts'

interface Options {
  batch: number
  json?: true
}

type Call = (body: { after: string | null; limit: number; current?: string }) => Promise<RotationProgress>

const batchMax = 1000

/** The services with a vault. */
const owners = {
  'api-key': 'apiKey',
  webhooks: 'webhooks',
  'business-unit': 'businessUnit',
  identity: 'identity',
  'invite-to-pay': 'inviteToPay',
} as const satisfies Record<string, keyof Services>
type Owner = keyof typeof owners

export function secretsCommands(program: Command, services: () => Services): void {
  const secrets = program
    .command('secrets')
    .description('generate the secrets of an installation; move stored secrets to the current keys')
  generateCommand(secrets)

  const withOptions = (command: Command) =>
    command
      .option('--batch <n>', `rows per batch, 1 to ${batchMax}`, wholeNumber(1, batchMax), 200)
      .option('--json', 'print JSON, and no progress')

  withOptions(
    secrets
      .command('rewrap')
      .description('wrap the data keys of every tenant with the current key-encryption key')
      .addArgument(new Argument('<service>', 'whose data keys').choices(Object.keys(owners))),
  ).action(async (service: Owner, options: Options) => {
    const owner = services()[owners[service]]
    await moveAll('data keys', options, (body) => owner.rewrapDataKeys(newContext(), { body }))
  })

  withOptions(
    secrets
      .command('reencrypt')
      .description('encrypt every secret again, under a new data key of its tenant')
      .addArgument(new Argument('<service>', 'whose secrets').choices(Object.keys(owners)))
      .option(
        '--since <instant>',
        'start of an interrupted run, to process only the secrets that it did not reach',
        instant,
      ),
  ).action(async (service: Owner, options: Options & { since?: string }) => {
    const owner = services()[owners[service]]
    const since = new Date(options.since ?? Date.now()).toISOString()
    if (!options.json) process.stderr.write(`to continue after an interruption: --since ${since}\n`)
    await moveAll('secrets', options, (body) => owner.reencryptSecrets(newContext(), { body: { ...body, since } }))
  })

  withOptions(
    secrets.command('rotate-pepper').description('compute the index of every API key value under the current pepper'),
  ).action(async (options: Options) => {
    const { apiKey } = services()
    await moveAll('indexes of keys', options, (body) => apiKey.rotatePepper(newContext(), { body }))
  })
}

/** Runs batches until none is left. Each batch starts after the previous one, so the loop ends. */
async function moveAll(what: string, { batch, json }: Options, call: Call): Promise<void> {
  const total = { current: '', done: 0, failed: 0 }
  let after: string | null = null
  do {
    const progress: RotationProgress = await call({
      after,
      limit: batch,
      ...(total.current === '' ? {} : { current: total.current }),
    })
    total.current = progress.current
    total.done += progress.done
    total.failed += progress.failed
    if (!json) process.stderr.write(`${what}: ${total.done} moved to ${total.current}, ${progress.remaining} to go\n`)
    after = progress.next
  } while (after !== null)
  printResult(total, json)
  if (total.failed > 0) {
    throw commandFailure(
      `${total.failed} could not be decrypted and are unchanged; the log of the service names them. Keep the previous key.`,
    )
  }
}
