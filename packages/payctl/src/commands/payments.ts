import { definedMembers } from '@payments/contracts/grammar/defined-members'
import type { NotCompared } from '@payments/contracts/services/payment-proxy/operators'
import type { Command } from 'commander'
import { commandFailure, day, upTo, uuid } from '../arguments.ts'
import { differenceColumns, openColumns } from '../columns.ts'
import { printable, printJson } from '../output.ts'
import { compareOperations, type Difference } from '../reconciliation.ts'
import { newContext, type Services } from '../services.ts'
import { type ListForm, listAction, printList, withListForms } from '../table.ts'
import { tenantColumns } from '../tenants.ts'

const dayMs = 24 * 60 * 60 * 1000
/** How far the instants of the two sides may lie apart. */
const marginMs = 60 * 60 * 1000
/** Both lists are held in memory. */
const comparedMax = 1_000_000

export function paymentsCommands(program: Command, services: () => Services): void {
  const payments = program.command('payments').description('open operations, and the books against the providers')

  const open = payments
    .command('open')
    .description('list operations whose outcome is not known or that need review, oldest first, with the reason')
    .option('--tenant <id>', 'id of the tenant', uuid)
  listAction(open, ['rows', 50], async ({ tenant }: { tenant?: string }, all) => {
    const { paymentProxy, rbac } = services()
    const filter = definedMembers({ tenant_id: tenant })
    const items = await all((page) => paymentProxy.listOpenOperations(newContext(), { query: { ...page, ...filter } }))
    return { items, columns: openColumns(await tenantColumns({ rbac }, items, (one) => one.tenant_id)) }
  })

  const reconciliation = payments
    .command('reconcile')
    .description(
      'compare our books of a day with the reports of the payment providers; exit code 1 with differences or gaps',
    )
    .requiredOption('--unit <id>', 'id of the business unit', uuid)
    .requiredOption('--day <day>', 'day in UTC, as 2026-01-31', day)
  withListForms(reconciliation).action(
    async ({ unit, day: given, ...form }: ListForm & { unit: string; day: string }) => {
      const result = await reconcile(services(), unit, Date.parse(given))
      if (form.json) printJson(result)
      else print(result, form)
      if (result.differences.length > 0) throw commandFailure(`differences: ${result.differences.length}`)
      if (result.failed > 0) throw commandFailure(`operations that could not be compared: ${result.failed}`)
    },
  )
}

/** A payment can end between the two reads, so only a difference that a second comparison finds again counts. */
async function reconcile(services: Services, unit: string, dayAt: number) {
  const first = await compare(services, unit, dayAt)
  if (first.differences.length === 0) return first
  const again = await compare(services, unit, dayAt)
  const differenceKey = (one: Difference) => JSON.stringify([one.operation_id, one.provider_reference, one.kind])
  const found = new Set(first.differences.map(differenceKey))
  return { ...again, differences: again.differences.filter((one) => found.has(differenceKey(one))) }
}

async function compare({ paymentProxy }: Services, unit: string, dayAt: number) {
  const context = newContext()
  const period = { from: dayAt, to: dayAt + dayMs }
  const window = {
    business_unit_id: unit,
    from: new Date(period.from - marginMs).toISOString(),
    to: new Date(period.to + marginMs).toISOString(),
  }
  const notCompared = new Map<string, NotCompared>()
  const reported = await upTo(comparedMax, async ({ cursor }) => {
    const query = cursor === undefined ? window : { ...window, cursor }
    const page = await paymentProxy.listReportedOperations(context, { query })
    for (const one of page.not_compared) notCompared.set(one.payment_orchestrator_id, one)
    return { data: page.operations, next_cursor: page.next }
  })
  const recorded = await upTo(comparedMax, (query) =>
    paymentProxy.listRecordedOperations(context, { query: { ...window, ...query } }),
  )
  if (Math.max(reported.length, recorded.length) === comparedMax) {
    throw commandFailure(`The day has more than ${comparedMax} operations: too many to compare at once`)
  }
  const comparison = compareOperations(recorded, reported, period, { notCompared, now: Date.now() })
  return {
    recorded: recorded.length,
    reported: reported.length,
    ...comparison,
    not_compared: [...notCompared.values()],
  }
}

function print(
  { recorded, reported, open, not_compared, differences }: Awaited<ReturnType<typeof reconcile>>,
  form: ListForm,
): void {
  if (differences.length > 0) {
    printList(differences, differenceColumns, form)
  }
  process.stdout.write(`${recorded} recorded, ${reported} reported, ${differences.length} differences\n`)
  if (open > 0) process.stdout.write(`${open} open, not compared\n`)
  for (const { payment_orchestrator_id: id, reason } of not_compared) {
    process.stdout.write(`payment orchestrator ${id} not compared: ${printable(reason)}\n`)
  }
}
