/** Waits at the API for the changes of a tenant while many deliveries end. */
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '@payments/testing/services/until'
import type { Figure } from './figure.ts'
import { emitEvent, outcomes } from './live.ts'
import { backlogMsMax, type Shop } from './shop.ts'

const connections = 16
/** A change belongs to the next response of a wait, if that comes within this time. */
const noticedMsMax = 2_000

/** The outcomes that no response of a wait followed in time. */
export async function measureChanges(shop: Shop, changes: number): Promise<Figure> {
  const responses: number[] = []
  const end = new AbortController()
  const waiting = waitForChanges(shop, responses, end.signal)
  await delay(1_000)
  const from = Date.now()
  let left = changes
  const worker = async () => {
    while (left > 0) {
      left -= 1
      await emitEvent(shop)
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  await until(async () => (await outcomes(shop, from)).size === changes, backlogMsMax)
  const ended = [...(await outcomes(shop, from)).values()]
  await delay(noticedMsMax)
  end.abort()
  await waiting
  const missed = ended.filter((at) => !responses.some((response) => response >= at && response <= at + noticedMsMax))
  return {
    bar: 8,
    what: `changes that were missed, of ${ended.length}`,
    value: String(missed.length),
    limit: '0',
    isMet: missed.length === 0,
  }
}

async function waitForChanges({ call }: Shop, responses: number[], signal: AbortSignal): Promise<void> {
  let after = ''
  while (!signal.aborted) {
    const path = `/v1/webhooks/changes?wait_seconds=2${after === '' ? '' : `&after=${after}`}`
    const { status, body } = await call('GET', path)
    if (status !== 200) throw new Error(`the response to a wait was ${status}`)
    after = body.next_cursor
    if (body.topics.includes('deliveries')) responses.push(Date.now())
  }
}
