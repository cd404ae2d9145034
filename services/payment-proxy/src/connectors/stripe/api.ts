import { createFairPermits } from '@payments/chassis/base/fair-permits'
import { loopShare } from '@payments/chassis/base/loop-share'
import type { HttpClient } from '@payments/egress/http-client'
import { z } from 'zod'
import type { Account } from '../connector.ts'
import { callProvider, type HttpRequest, isSuccess, read, toCheckReason, withoutEndSlashes } from '../provider-http.ts'
import { listSchema } from './objects.ts'

/** The version whose objects the connector reads. An account may have another default. A test limits its age. */
export const stripeVersion = '2026-06-24.dahlia'
const defaultUrl = 'https://api.stripe.com'
/** 20 KiB an object. More bytes would hold the event loop while they are parsed. */
const listBytesMax = 1024 * 1024
const pageMax = 50
/** Pages that are requested and parsed at once: of all tenants, and of one. */
const listLimits = { permitsMax: 16, perSubjectMax: 4, waitingMax: 1_000, waitMsMax: 15_000 }

export type Fields = Readonly<Record<string, string | number>>

export type StripeCalls = ReturnType<ReturnType<typeof createStripeApi>>

/** Calls of Stripe's API with the key of an account, until the signal aborts. */
export function createStripeApi(client: HttpClient) {
  const lists = createFairPermits({
    ...listLimits,
    createRejection: () => new Error('too many lists of Stripe are read'),
  })
  return (account: Account, signal: AbortSignal) => ({
    /** Repeats of a request with the same key have the response of the first one. */
    post: (path: string, fields: Fields, idempotencyKey: string) => {
      const { headers, ...request } = buildRequest(account, 'POST', path)
      const added = { 'Content-Type': 'application/x-www-form-urlencoded', 'Idempotency-Key': idempotencyKey }
      const body = Buffer.from(encodeFields(fields))
      return callProvider(client, { ...request, headers: { ...headers, ...added }, body }, signal)
    },
    /** Null: there is no such object. Throws when there is no response. */
    read: async <T>(path: string, schema: z.ZodType<T>): Promise<T | null> => {
      const { status, body } = await read(client, buildRequest(account, 'GET', path), signal)
      if (status === 404) return null
      if (!isSuccess(status)) throw new Error(`Stripe responded with ${status}`)
      return schema.parse(body)
    },
    /** Whether Stripe accepts the key, by a list of one PaymentIntent. Throws for a response of another form. */
    check: async () => {
      const result = await callProvider(client, buildRequest(account, 'GET', 'payment_intents?limit=1'), signal)
      return toCheckReason(result, listSchema(z.unknown()).parse)
    },
    /**
     * One page, newest first. `after`: id of the last object of the previous page. A tenant may name any host for
     * Stripe, so its pages have limits (`listLimits`), and are parsed in its share of the event loop.
     */
    list: async <T extends { id: string }>(
      path: string,
      query: Fields,
      { schema, after }: { schema: z.ZodType<T>; after: string | null },
    ): Promise<StripePage<T>> => {
      const { tenantId } = account
      const search = encodeFields({ limit: pageMax, ...query, ...(after === null ? {} : { starting_after: after }) })
      const request = { ...buildRequest(account, 'GET', `${path}?${search}`), responseBytesMax: listBytesMax, tenantId }
      const release = await lists.acquire(tenantId, { signal })
      try {
        const { status, body } = await read(client, request, signal)
        if (!isSuccess(status)) throw new Error(`Stripe responded with ${status}`)
        const { data, has_more } = await loopShare.run(tenantId, () => listSchema(schema).parse(body))
        return { data, next: has_more ? (data.at(-1)?.id ?? null) : null }
      } finally {
        release()
      }
    },
  })
}

export interface StripePage<T> {
  readonly data: readonly T[]
  readonly next: string | null
}

function buildRequest(account: Account, method: 'GET' | 'POST', path: string): HttpRequest {
  const base = withoutEndSlashes(account.gatewayUrl ?? defaultUrl)
  const { secret_key: key } = account.credentials
  if (key === undefined) throw new Error('the payment orchestrator has no secret_key')
  const headers = { Authorization: `Bearer ${key}`, 'Stripe-Version': stripeVersion, Accept: 'application/json' }
  return { method, url: `${base}/v1/${path}`, headers }
}

function encodeFields(fields: Fields): string {
  const pairs = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])
  return new URLSearchParams(pairs).toString()
}
