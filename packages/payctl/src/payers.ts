import type { Exported } from '@payments/contracts/endpoints/payer-export'
import { Problem } from '@payments/contracts/grammar/problem'
import type { PayerErasure } from '@payments/contracts/services/communication/payers'
import { commandFailure } from './arguments.ts'
import { follow } from './follow.ts'
import { problemText } from './output.ts'
import { newContext, type Services } from './services.ts'

/** A page of the largest items is smaller than the response that a client accepts. */
const pageMax = 10
/** Beyond them, an export ends with an error. */
const pagesMax = 10_000

type PageQuery = NonNullable<Parameters<Services['paymentProxy']['exportPayer']>[1]['body']>

/**
 * Everything that the services store about a payer of a tenant. Throws a CommanderError that names the service when one
 * does not respond.
 */
export async function exportPayer(
  { rbac, paymentProxy, inviteToPay, communication }: Services,
  { tenant, recipient }: { readonly tenant: string; readonly recipient: string },
) {
  const call = { params: { tenant_id: tenant } }
  await withServiceName('rbac', rbac.readTenant(newContext(), call))
  const all = <T>(service: string, read: (body: PageQuery) => Promise<Exported<T>>) =>
    withServiceName(service, everyPage(recipient, read))
  const transactions = await all('payment-proxy', (body) => paymentProxy.exportPayer(newContext(), { ...call, body }))
  const codes = await all('invite-to-pay', (body) => inviteToPay.exportPayer(newContext(), { ...call, body }))
  const messages = await all('communication', (body) => communication.exportPayer(newContext(), { ...call, body }))
  return { tenant_id: tenant, recipient, exported_at: new Date().toISOString(), transactions, codes, messages }
}

async function everyPage<T>(recipient: string, read: (body: PageQuery) => Promise<Exported<T>>): Promise<T[]> {
  const items: T[] = []
  let after: string | null = null
  for (let page = 0; page < pagesMax; page += 1) {
    const { data, next_after: next }: Exported<T> = await read({ recipient, after, limit: pageMax })
    items.push(...data)
    if (next === null) return items
    after = next
  }
  throw commandFailure(`the data of the payer has more than ${pagesMax} pages`)
}

/** Errors of the call name the service. */
async function withServiceName<T>(service: string, call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (error instanceof Problem) throw commandFailure(`${service}: ${problemText(error)}`)
    throw error
  }
}

const waitMsMax = 5 * 60_000

/** Waits for the end of an erasure, at most five minutes. The services continue without payctl. */
export async function followErasure(
  { communication }: Pick<Services, 'communication'>,
  id: string,
  report: (line: string) => void,
): Promise<PayerErasure> {
  const { state: erasure, lastLine } = await follow({
    read: () => communication.readPayerErasure(newContext(), { params: { erasure_id: id } }),
    isOver: ({ completed_at }) => completed_at !== null,
    line: formatProgress,
    report,
    leaving: `the erasure continues; to see it: payctl payer erasure ${id}`,
    isLate: (_silentPolls, sinceMs) => sinceMs >= waitMsMax,
  })
  if (erasure !== undefined) return erasure
  throw commandFailure(`not complete after five minutes (${lastLine}); it continues: payctl payer erasure ${id}`)
}

function formatProgress({ services }: PayerErasure): string {
  const waits = services.filter(({ completed_at }) => completed_at === null).map(({ service }) => service)
  return waits.length === 0 ? 'done' : `waits for ${waits.join(', ')}`
}
