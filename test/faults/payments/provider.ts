import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts } from '@payments/devkit/machine/ports'
import { type TcpProxy, tcpProxy } from '@payments/testing/peers/tcp-proxy'
import type { LedgerRow } from '@payments/testing/platform/payment-books'
import type { Entry } from '../../../services/payment-proxy/test/reference-provider/ledger.ts'
import {
  presentOperation,
  startReferenceProvider,
} from '../../../services/payment-proxy/test/reference-provider/server.ts'
import type { Call } from '../../tenant.ts'

/** A payment provider that reports every operation by webhooks, and repeats a webhook until it is accepted. */
export interface ReportingProvider {
  /** The payment orchestrator of the tenant at this provider. */
  readonly orchestrator: string
  /** How the provider reports from now on. Resolves when nothing that was reported before is under way. */
  readonly report: (how: Reporting) => Promise<void>
  /** Number of accepted webhooks. */
  readonly accepted: () => number
  /** Its port: `cut` makes it unreachable. */
  readonly port: TcpProxy
  readonly ledger: () => LedgerRow[]
  readonly stop: () => Promise<void>
}

/**
 * once: after the response · twice: two copies at once, and a third later · reordered: `pending` after the outcome, and
 * the operations in reverse order · before the response: the response waits for the acceptance
 */
export type Reporting = 'once' | 'twice' | 'reordered' | 'before the response'

const repeatMs = 200
const repeatsMax = 300
const reorderedTogether = 4

interface Site {
  readonly gatewayUrl: string
  readonly unit: string
  readonly call: Call
}

export async function startReportingProvider({ gatewayUrl, unit, call }: Site): Promise<ReportingProvider> {
  let how: Reporting = 'once'
  let accepted = 0
  const underWay = new Set<Promise<void>>()
  const withheld: Entry[] = []
  const post = async (operation: object, id = `evt_${randomUUID()}`) => {
    const body = JSON.stringify({ type: 'operation.updated', operation })
    for (let repeats = 0; repeats < repeatsMax; repeats += 1) {
      const url = `${gatewayUrl}/v1/payment-proxy/gateway-webhooks/${orchestrator}`
      const headers = { ...signWebhook(account.secret, id, body), 'content-type': 'application/json' }
      const response = await fetch(url, { method: 'POST', body, headers }).catch(() => undefined)
      if (response?.status === 200) {
        accepted += 1
        return
      }
      await delay(repeatMs)
    }
    throw new Error(`the webhook ${id} was never accepted`)
  }
  const inBackground = (work: Promise<void>) => {
    underWay.add(work)
    work.finally(() => underWay.delete(work)).catch(() => {})
  }
  const release = () => {
    const entries = withheld.splice(0).reverse()
    const all = async () => {
      for (const entry of entries) {
        await post(toProviderEvent(entry))
        await post({ operation_id: entry.operation_id, state: 'pending', reference: entry.reference })
      }
    }
    inBackground(all())
  }
  const received = async (entry: Entry) => {
    const id = `evt_${randomUUID()}`
    if (how === 'before the response') await post(toProviderEvent(entry))
    else if (how === 'once') inBackground(post(toProviderEvent(entry), id))
    else if (how === 'twice') {
      const copy = () => post(toProviderEvent(entry), id)
      inBackground(Promise.all([copy(), copy()]).then(copy))
    } else {
      withheld.push(entry)
      if (withheld.length >= reorderedTogether) release()
    }
  }
  const provider = await startReferenceProvider(received)
  const account = provider.account()
  const [free = 0] = await freePorts(1)
  const port = await tcpProxy(free, provider.url)
  const orchestrator = await createOrchestrator(call, unit, port.url, account)
  return {
    orchestrator,
    report: async (next) => {
      how = next
      release()
      await Promise.all(underWay)
    },
    accepted: () => accepted,
    port,
    ledger: () =>
      [...account.ledger.entries.values()].map(({ operation_id: id, type, amount, state }) => ({
        id,
        type,
        amount,
        state,
      })),
    stop: async () => {
      await port.cut()
      await provider.close()
    },
  }
}

/** A pending operation succeeds when the provider reports it. */
function toProviderEvent(entry: Entry) {
  if (entry.state === 'pending') entry.state = 'succeeded'
  return presentOperation(entry)
}

async function createOrchestrator(
  call: Call,
  unit: string,
  url: string,
  { keyId, secret }: { keyId: string; secret: string },
): Promise<string> {
  const { status, body } = await call('POST', `/v1/business-unit/business-units/${unit}/payment-orchestrators`, {
    name: 'Reference',
    payment_gateway: 'http',
    mode: 'test',
    gateway_url: url,
    gateway_authentication: { key_id: keyId, secret },
  })
  if (status !== 201) throw new Error(`the payment orchestrator was not created: ${JSON.stringify(body)}`)
  return body.id
}

function signWebhook(secret: string, id: string, body: string) {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
