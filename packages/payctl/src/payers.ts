import { setTimeout as delay } from 'node:timers/promises'
import { newId } from '@payments/chassis/base/id'
import type { Exported } from '@payments/contracts/endpoints/payer-export'
import { Problem } from '@payments/contracts/grammar/problem'
import type { PayerErasure } from '@payments/contracts/services/communication/payers'
import { commandFailure } from './arguments.ts'
import { problemText } from './output.ts'
import type { Services } from './services.ts'

/** A page of the largest items is smaller than the response that a client accepts. */
const pageMax = 10
/** Beyond them, an export ends with an error. */
const pagesMax = 10_000

interface PageQuery {
  readonly recipient: string
  readonly after: string | null
  readonly limit: number
}

/**
 * Everything that the services store about a payer of a tenant. Throws a CommanderError that names the service when one
 * does not respond.
 */
export async function exportPayer(
  { rbac, paymentProxy, inviteToPay, communication }: Services,
  { tenant, recipient }: { readonly tenant: string; readonly recipient: string },
) {
  const call = { params: { tenant_id: tenant } }
  await withServiceName('rbac', rbac.readTenant({ traceId: newId() }, call))
  const all = <T>(service: string, read: (body: PageQuery) => Promise<Exported<T>>) =>
    withServiceName(service, everyPage(recipient, read))
  const transactions = await all('payment-proxy', (body) =>
    paymentProxy.exportPayer({ traceId: newId() }, { ...call, body }),
  )
  const codes = await all('invite-to-pay', (body) => inviteToPay.exportPayer({ traceId: newId() }, { ...call, body }))
  const messages = await all('communication', (body) =>
    communication.exportPayer({ traceId: newId() }, { ...call, body }),
  )
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

/** Each poll leaves an audit record, so the interval grows. */
const pollMinMs = 250
const pollMaxMs = 5_000
const waitMsMax = 5 * 60_000

/** Waits for the end of an erasure, at most five minutes. The services continue without payctl. */
export async function followErasure(
  { communication }: Pick<Services, 'communication'>,
  id: string,
  report: (line: string) => void,
): Promise<PayerErasure> {
  const leave = () => {
    process.stderr.write(`\nthe erasure continues; to see it: payctl payer erasure ${id}\n`)
    process.exit(130)
  }
  process.once('SIGINT', leave)
  const startedAt = Date.now()
  let lastLine = ''
  for (let waitMs = pollMinMs; Date.now() - startedAt < waitMsMax; waitMs = Math.min(pollMaxMs, waitMs * 1.5)) {
    const erasure = await readIfAvailable(communication, id)
    const line = erasure === undefined ? lastLine : formatProgress(erasure)
    if (line !== lastLine) report(line)
    lastLine = line
    if (erasure !== undefined && erasure.completed_at !== null) {
      process.off('SIGINT', leave)
      return erasure
    }
    await delay(waitMs)
  }
  throw commandFailure(`not complete after five minutes (${lastLine}); it continues: payctl payer erasure ${id}`)
}

/** Undefined while communication does not respond. */
async function readIfAvailable(communication: Services['communication'], id: string) {
  try {
    return await communication.readPayerErasure({ traceId: newId() }, { params: { erasure_id: id } })
  } catch (error) {
    if (error instanceof Problem && error.code === 'service_unavailable') return undefined
    throw error
  }
}

function formatProgress({ services }: PayerErasure): string {
  const waits = services.filter(({ completed_at }) => completed_at === null).map(({ service }) => service)
  return waits.length === 0 ? 'done' : `waits for ${waits.join(', ')}`
}
