import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

/**
 * **What it does.** Limits the bytes of request bodies, which the gateway reads whole before it takes an upstream
 * connection.
 *
 * **Participants.** One reservation per body, which grows with each chunk; an announced length reserves nothing. A body
 * counts for its sender and in a pool: of all credentials, or of a group of public endpoints.
 *
 * **Guarantees.**
 * - The reserved bytes never exceed the limit of a credential, a tenant, an address or a pool.
 * - Senders without a credential take nothing from tenants, nor pages from provider webhooks.
 * - An address has at most `unfinishedPerAddressMax` unfinished bodies in a group.
 * - A reservation ends with its request.
 *
 * **Not guaranteed.** A chunk is in memory before it is reserved. Enough senders fill a pool.
 */
export interface BodyBudget {
  /** Throws rate_limited when the address of the sender has too many unfinished bodies. */
  reserve(sender: BodySender): BodyReservation
  bytes(): number
}

/** The sender of a body, as limits count it. */
export type BodySender =
  | { readonly tenantId: string; readonly actor: { readonly type: string; readonly id: string } }
  | AnonymousSender

/** A sender without a credential: `address` as limits per address count it, at a `group` of public endpoints. */
interface AnonymousSender {
  readonly address: string
  readonly group: PublicGroup
}

export type PublicGroup = 'pages' | 'webhooks'

export interface BodyReservation {
  /** Reserves nothing. Returns rate_limited at a limit of the caller, service_unavailable at the limit of the pool. */
  check(bytes: number): Problem | undefined
  /** Reserves bytes. Returns as `check`, and then reserves nothing. */
  grow(bytes: number): Problem | undefined
  /** The body has arrived whole. */
  finish(): void
  /** Releases all bytes. Further calls have no effect. */
  release(): void
}

export interface BodyBudgetOptions {
  /** Maximum reserved bytes of one key or user. */
  readonly credentialBytesMax?: number
  readonly tenantBytesMax?: number
  /** Maximum reserved bytes of all credentials. */
  readonly credentialsBytesMax?: number
  /** In a group of public endpoints. */
  readonly addressBytesMax?: number
  readonly groupBytesMax?: number
  readonly unfinishedPerAddressMax?: number
}

const mebibyte = 1024 * 1024
/** Enough for 16, 64 and 384 bodies of the maximum size, and for 4 and 128 without a credential. */
const defaults: Required<BodyBudgetOptions> = {
  credentialBytesMax: 4 * mebibyte,
  tenantBytesMax: 16 * mebibyte,
  credentialsBytesMax: 96 * mebibyte,
  addressBytesMax: mebibyte,
  groupBytesMax: 32 * mebibyte,
  unfinishedPerAddressMax: 64,
}
const retryAfterSeconds = 1

/** Bytes that are counted together. */
interface Account {
  readonly key: string
  readonly bytesMax: number
  readonly createRejection: (bytesMax: number) => Problem
}

export function createBodyBudget(options: BodyBudgetOptions = {}): BodyBudget {
  const limits = { ...defaults, ...options }
  const reservedBytes = createTally()
  const unfinishedBodies = createTally()
  let total = 0
  return {
    bytes: () => total,
    reserve(sender) {
      const accounts = 'address' in sender ? addressAccounts(sender, limits) : credentialAccounts(sender, limits)
      const unfinished = 'address' in sender ? accounts[0]?.key : undefined
      if (unfinished !== undefined && unfinishedBodies.get(unfinished) >= limits.unfinishedPerAddressMax) {
        const detail = `The address has reached its limit of ${limits.unfinishedPerAddressMax} unfinished request bodies`
        throw new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
      }
      let reserved = 0
      let isFinished = unfinished === undefined
      let isReleased = false
      const add = (bytes: number) => {
        reserved += bytes
        total += bytes
        for (const { key } of accounts) reservedBytes.add(key, bytes)
      }
      const finish = () => {
        if (!isFinished) unfinishedBodies.add(String(unfinished), -1)
        isFinished = true
      }
      const check = (bytes: number) => {
        const full = accounts.find(({ key, bytesMax }) => reservedBytes.get(key) + bytes > bytesMax)
        return full?.createRejection(full.bytesMax)
      }
      if (unfinished !== undefined) unfinishedBodies.add(unfinished, 1)
      return {
        check,
        grow(bytes) {
          if (isReleased) return undefined
          const rejection = check(bytes)
          if (rejection === undefined) add(bytes)
          return rejection
        },
        finish,
        release() {
          isReleased = true
          finish()
          if (reserved > 0) add(-reserved)
        },
      }
    },
  }
}

function credentialAccounts(
  { tenantId, actor }: Exclude<BodySender, AnonymousSender>,
  { credentialBytesMax, tenantBytesMax, credentialsBytesMax }: Required<BodyBudgetOptions>,
): Account[] {
  const key = `credential ${tenantId} ${actor.type} ${actor.id}`
  return [
    { key, bytesMax: credentialBytesMax, createRejection: beyondShare('credential') },
    { key: `tenant ${tenantId}`, bytesMax: tenantBytesMax, createRejection: beyondShare('tenant') },
    { key: 'credentials', bytesMax: credentialsBytesMax, createRejection: withoutMemory },
  ]
}

function addressAccounts(
  { address, group }: AnonymousSender,
  { addressBytesMax, groupBytesMax }: Required<BodyBudgetOptions>,
): Account[] {
  return [
    { key: `address ${group} ${address}`, bytesMax: addressBytesMax, createRejection: beyondShare('address') },
    { key: `group ${group}`, bytesMax: groupBytesMax, createRejection: withoutMemory },
  ]
}

const beyondShare = (subject: string) => (bytesMax: number) => {
  const detail = `The ${subject} has reached its limit of ${bytesMax / mebibyte} MiB of request bodies in flight`
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
}

const withoutMemory = () => {
  const detail = 'The gateway has no memory for another request body'
  return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds })
}

/** Counts per key. A key with 0 takes no memory. */
function createTally() {
  const counts = new Map<string, number>()
  return {
    get: (key: string) => counts.get(key) ?? 0,
    add(key: string, count: number) {
      const sum = (counts.get(key) ?? 0) + count
      if (sum === 0) counts.delete(key)
      else counts.set(key, sum)
    },
  }
}
