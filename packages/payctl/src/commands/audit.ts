import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { limitMax } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import type { AuditRecord, Seal } from '@payments/contracts/services/audit/contract'
import { actorTypes, clientNames, outcomes } from '@payments/contracts/services/audit/fields'
import { type Command, Option } from 'commander'
import { commandFailure, uuid } from '../arguments.ts'
import { type AuditReport, findingColumns, recordColumns, reportColumns } from '../audit-columns.ts'
import { type Checkpoint, readCheckpoints } from '../checkpoints.ts'
import { printable, printJson } from '../output.ts'
import { newContext, type Services } from '../services.ts'
import { type ListForm, listAction, printList, withListForms } from '../table.ts'

type Chain = string
const noTenant: Chain = 'none'
const chainName = (value: string) => (value === noTenant ? value : uuid(value))

export function auditCommands(program: Command, services: () => Services): void {
  const audit = program.command('audit').description('read audit records and verify that none was changed')
  listCommand(audit, services)

  audit
    .command('checkpoints')
    .description(
      'print the newest seal of every chain, one line of JSON each; store the output where operators cannot write',
    )
    .option('--json', 'print JSON, which is the default')
    .action(async () => {
      for await (const seal of checkpoints(services())) printJson(seal)
    })

  const verification = audit
    .command('verify')
    .description('recompute the chains from the records and compare them with exported checkpoints')
    .option(
      '--tenant <id>',
      'only the chain of this tenant; "none" for records without a tenant; default: every chain',
      chainName,
    )
    .option(
      '--checkpoints <path>',
      'the directory of exported checkpoints, or a file with the output of `audit checkpoints`',
    )
  withListForms(verification).action(
    async ({ tenant, checkpoints: path, ...form }: ListForm & { tenant?: string; checkpoints?: string }) => {
      const exported = path === undefined ? { checkpoints: [], incomplete: [] } : readCheckpoints(path)
      for (const file of exported.incomplete) console.error(`payctl: ${printable(file)} is incomplete and was skipped`)
      const { checkpoints: expected } = exported
      const reports = await verify(services(), expected, tenant)
      if (form.json) printJson(reports)
      else printReports(reports, form)
      const count = reports.reduce((sum, { findings }) => sum + findings.length, 0)
      if (count > 0) throw commandFailure(`${count} findings: the records were tampered with`)
    },
  )
}

function listCommand(audit: Command, services: () => Services): void {
  const list = audit
    .command('list')
    .description('list audit records of one tenant, or records without a tenant; newest first')
    .option('--tenant <id>', 'only records of this tenant; default: records without a tenant', uuid)
    .addOption(new Option('--actor-type <type>', 'only records of this kind of actor').choices(actorTypes))
    .addOption(new Option('--client <client>', 'only records of people who used this client').choices(clientNames))
    .addOption(new Option('--outcome <outcome>', 'only records with this outcome').choices(outcomes))
    .option('--trace <id>', 'only the request with this trace id', uuid)
  listAction(list, ['records', 50], async ({ tenant, actorType, client, outcome, trace }: RecordOptions, all) => {
    const query = definedMembers({ actor_type: actorType, client, outcome, trace_id: trace })
    const params = { tenant_id: tenant ?? noTenant }
    const { audit: service } = services()
    const items = await all((page) => service.inspectRecords(newContext(), { params, query: { ...query, ...page } }))
    return { items, columns: recordColumns }
  })
}

interface RecordOptions {
  readonly tenant?: string
  readonly actorType?: AuditRecord['actor']['type']
  readonly client?: NonNullable<AuditRecord['client']>
  readonly outcome?: AuditRecord['outcome']
  readonly trace?: string
}

async function* checkpoints({ audit }: Services): AsyncGenerator<Seal> {
  for (let cursor: string | undefined; ; ) {
    const query = { limit: limitMax, ...definedMembers({ cursor }) }
    const { data, next_cursor: next } = await audit.listCheckpoints(newContext(), { query })
    yield* data
    if (next === null) return
    cursor = next
  }
}

async function verify(
  services: Services,
  exported: readonly Checkpoint[],
  tenant: string | undefined,
): Promise<AuditReport[]> {
  const chains = new Set<Chain>()
  if (tenant !== undefined) chains.add(tenant)
  else {
    for await (const seal of checkpoints(services)) chains.add(seal.tenant_id ?? noTenant)
    for (const { tenant_id: id } of exported) chains.add(id ?? noTenant)
  }
  const reports: AuditReport[] = []
  for (const chain of chains) {
    const ofChain = exported.filter(({ tenant_id: id }) => (id ?? noTenant) === chain)
    reports.push(await verifyChain(services, chain, ofChain))
  }
  return reports
}

async function verifyChain({ audit }: Services, chain: Chain, exported: readonly Checkpoint[]): Promise<AuditReport> {
  const hashes = new Map<number, string>()
  const wanted = new Set(exported.map(({ sequence }) => sequence))
  const report: AuditReport = {
    tenant_id: chain === noTenant ? null : chain,
    seals: 0,
    records_checked: 0,
    beyond_retention: 0,
    unsealed: 0,
    checkpoints_met: 0,
    findings: [],
  }
  try {
    for (let after: number | null = 0; after !== null; ) {
      const call = { params: { tenant_id: chain }, query: { after_sequence: after } }
      const part: Awaited<ReturnType<typeof audit.verifyChain>> = await audit.verifyChain(newContext(), call)
      for (const { sequence, hash } of part.seals) if (wanted.has(sequence)) hashes.set(sequence, hash)
      report.seals += part.seals.length
      report.records_checked += part.records_checked
      report.beyond_retention += part.beyond_retention
      report.unsealed = part.unsealed
      report.findings.push(...part.findings)
      after = part.next_after_sequence
    }
  } catch (error) {
    // A missing chain is a finding when a checkpoint names it.
    if (!(error instanceof Problem) || error.code !== 'chain_not_found' || exported.length === 0) throw error
  }
  for (const { sequence, hash } of exported) {
    const found = hashes.get(sequence)
    if (found === hash) report.checkpoints_met += 1
    else {
      const detail =
        found === undefined ? 'the chain ends before the checkpoint' : 'the chain is not the one that was sealed'
      report.findings.push({ sequence, kind: 'checkpoint_missed', detail })
    }
  }
  return report
}

function printReports(reports: readonly AuditReport[], form: ListForm): void {
  printList(reports, reportColumns, form)
  const found = reports.flatMap(({ tenant_id: id, findings }) => findings.map((one) => ({ ...one, tenant_id: id })))
  if (found.length > 0) printList(found, findingColumns, form)
}
