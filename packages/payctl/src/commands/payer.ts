import { newId } from '@payments/chassis/base/id'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import type { PayerErasure } from '@payments/contracts/services/communication/payers'
import type { Command } from 'commander'
import { recipient, shortText, uuid } from '../arguments.ts'
import { payerErasureColumns } from '../columns.ts'
import { confirmErasure } from '../confirmation.ts'
import { numberFields, printFields, printJson } from '../output.ts'
import { exportPayer, followErasure } from '../payers.ts'
import { newContext, type Services } from '../services.ts'
import { listAction } from '../table.ts'

/** The personal data of payers: docs/personal-data.md. */
export function payerCommands(program: Command, services: () => Services): void {
  const payer = program.command('payer').description('export and erase the personal data of a payer')
  exportCommand(payer, services)
  eraseCommand(payer, services)
  erasuresCommand(payer, services)
}

const withPayer = (command: Command): Command =>
  command
    .requiredOption('--tenant <id>', 'id of the tenant', uuid)
    .requiredOption('--recipient <address>', 'email address, or phone number in E.164, of the payer', recipient)

interface PayerChoice {
  tenant: string
  recipient: string
}

function exportCommand(payer: Command, services: () => Services): void {
  withPayer(payer.command('export'))
    .description(
      'print everything that the services store about a payer of a tenant. ' +
        'Fails when a service does not respond, because an export is whole or none',
    )
    .option('--json', 'print JSON')
    .action(async ({ json, ...choice }: PayerChoice & { json?: true }) => {
      const stored = await exportPayer(services(), choice)
      if (json) return printJson(stored)
      const { transactions, codes, messages, ...fields } = stored
      printFields({
        ...fields,
        ...numberFields('transaction', transactions),
        ...numberFields('code', codes),
        ...numberFields('message', messages),
      })
    })
}

interface EraseOptions extends PayerChoice {
  reason?: string
  erasure?: string
  wait: boolean
  yes?: true
  json?: true
}

function eraseCommand(payer: Command, services: () => Services): void {
  withPayer(payer.command('erase'))
    .description(
      'erase the personal data of a payer of a tenant in every service. Active codes of the payer are canceled, ' +
        'queued messages are not sent. The work begins a minute after the request; a service that is down erases when ' +
        'it runs again. Copies in events, deliveries and stored responses expire until `copies_until`. ' +
        'This cannot be undone',
    )
    .option('--reason <text>', 'why, for the record of the erasure. Do not name the payer', shortText(500))
    .option(
      '--erasure <id>',
      'send this incomplete erasure of the same payer to the services again, because one of them lost it',
      uuid,
    )
    .option('--no-wait', 'return at once; the erasure continues')
    .option('--yes', 'erase without a confirmation')
    .option('--json', 'print JSON')
    .action(async ({ tenant, recipient, reason, erasure, wait, yes, json }: EraseOptions) => {
      if (!yes) await confirmErasure('the payer')
      const connected = services()
      // A mistyped tenant would be an erasure that erases nothing.
      await connected.rbac.readTenant(newContext(), { params: { tenant_id: tenant } })
      // An unknown id would begin another erasure.
      if (erasure !== undefined)
        await connected.communication.readPayerErasure(newContext(), { params: { erasure_id: erasure } })
      const id = erasure ?? newId()
      const body = { erasure_id: id, recipient, reason: reason ?? null, requested_by: connected.operator }
      const started = await connected.communication.erasePayer(newContext(), { params: { tenant_id: tenant }, body })
      const report = (line: string) => process.stderr.write(`${line}\n`)
      if (!json) report(`erasure ${started.id}`)
      print(wait ? await followErasure(connected, started.id, json ? () => {} : report) : started, json)
    })
}

function erasuresCommand(payer: Command, services: () => Services): void {
  const erasures = payer
    .command('erasures')
    .description('list erasures of payers, newest first, and the services that have not completed theirs')
    .option('--tenant <id>', 'only of this tenant', uuid)
  listAction(erasures, ['rows', 50], async ({ tenant }: { tenant?: string }, all) => {
    const { communication } = services()
    const filter = definedMembers({ tenant_id: tenant })
    const items = await all((page) => communication.listPayerErasures(newContext(), { query: { ...filter, ...page } }))
    return { items, columns: payerErasureColumns }
  })

  payer
    .command('erasure')
    .description('show what each service has done for an erasure')
    .argument('<id>', 'id of the erasure', uuid)
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      const params = { erasure_id: id }
      print(await services().communication.readPayerErasure(newContext(), { params }), json)
    })
}

function print(erasure: PayerErasure, json: true | undefined): void {
  if (json) return printJson(erasure)
  const { services, ...fields } = erasure
  const parts = services.map(({ service, resources, completed_at }) => [
    service,
    completed_at === null ? `not done, ${resources} resources so far` : `done, ${resources} resources`,
  ])
  printFields({ ...fields, ...Object.fromEntries(parts) })
}
