import { setTimeout as delay } from 'node:timers/promises'
import { createPermits, fewerThanFree } from '@payments/chassis/base/fair-permits'
import type { Log } from '@payments/chassis/observability/log'
import { Counter, Gauge, type Registry } from 'prom-client'

/** As many payments as connections of the client that carries them, so no payment waits for a connection. */
const paymentsMax = 64
/** Requests that wait for the outcome of their payment. */
const waitingMax = 32
/** Most payment providers respond within this time. */
const waitMsMax = 1_000

export type PaymentsInProgress = ReturnType<typeof createPaymentsInProgress>

/**
 * **What it does.** Runs payments in the background, so that no request waits for a payment provider.
 *
 * **Guarantees.**
 * 1. Payments in progress and waiting requests are bounded, in all and per tenant (README.md). A payment without a
 *    permit is not started.
 * 2. The drain waits for the payments in progress.
 *
 * **Not guaranteed.** The end of a payment: after a crash, `recover-payments` finds its outcome.
 */
export function createPaymentsInProgress({ log, metrics }: { log: Log; metrics: Registry }) {
  const permits = createPermits({ permitsMax: paymentsMax, perSubjectMax: fewerThanFree })
  const waits = createPermits({ permitsMax: waitingMax, perSubjectMax: fewerThanFree })
  const running = new Set<Promise<void>>()
  let isStopped = false
  const rejections = rejectionCounter(metrics)
  progressGauge(metrics, () => running.size)
  /** A permit for one payment. Null when the tenant has its share of the payments in progress, and during the drain. */
  const tryAcquire = (tenantId: string) => {
    const releasePermit = isStopped ? undefined : permits.tryAcquire(tenantId)
    if (releasePermit === undefined) {
      rejections.inc()
      return null
    }
    let end = () => {}
    const ended: Promise<void> = new Promise<void>((resolve) => (end = resolve)).then(() => {
      releasePermit()
      running.delete(ended)
    })
    running.add(ended)
    return {
      /** Returns the permit: no payment began. */
      release: () => end(),
      /**
       * Starts the payment, which returns the permit at its end. A failure is logged. Resolves with the result of the
       * payment, or with undefined after a moment without one.
       */
      start: async <R>(payment: () => Promise<R>, ids: Readonly<Record<string, string>>): Promise<R | undefined> => {
        const result = payment()
          .catch((err: unknown) => {
            log.error({ err, ...ids }, 'the outcome of a payment is not recorded')
            return undefined
          })
          .finally(() => end())
        const endWait = waits.tryAcquire(tenantId)
        if (endWait === undefined) return undefined
        const soon = await Promise.race([result, delay(waitMsMax, undefined, { ref: false })])
        endWait()
        return soon
      },
    }
  }
  /** Resolves when no payment is in progress. */
  const settled = async () => {
    while (running.size > 0) await Promise.all(running)
  }
  return {
    tryAcquire,
    settled,
    /** Gives no further permit. Resolves as `settled`. */
    stop: () => {
      isStopped = true
      return settled()
    },
  }
}

const rejectionCounter = (registry: Registry) =>
  new Counter({
    name: 'invite_to_pay_payments_rejected_total',
    help: 'Payments that were not started, because their tenant had its share of the payments in progress',
    registers: [registry],
  })

const progressGauge = (registry: Registry, count: () => number) =>
  new Gauge({
    name: 'invite_to_pay_payments_in_progress',
    help: 'Payments in progress',
    registers: [registry],
    collect() {
      this.set(count())
    },
  })
