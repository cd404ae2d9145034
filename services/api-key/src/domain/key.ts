import type { RequestOf } from '@payments/contracts/grammar/contract'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import type { Environment } from '@payments/contracts/grammar/key-value'
import type { apiKey, Key, KeyEvent, KeyIdentity } from '@payments/contracts/services/api-key/contract'

export const keysMax = 1000

export interface KeyFacts {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly environment: Environment
  readonly maskedValue: string
  readonly enabled: boolean
  readonly expiresAt: Date | null
  readonly allowedCidrs: readonly string[]
  readonly createdAt: Date
  readonly createdBy: string
  readonly updatedAt: Date
  readonly lastUsedAt: Date | null
  readonly roleIds: readonly string[]
  readonly previousEndsAt: Date | null
}

/** The public form of a key, with its masked value. */
export function presentKey(key: KeyFacts, now: Date): Key {
  const { previousEndsAt } = key
  return {
    id: key.id,
    name: key.name,
    description: key.description,
    value: key.maskedValue,
    enabled: key.enabled,
    role_ids: [...key.roleIds],
    environment: key.environment,
    expires_at: key.expiresAt?.toISOString() ?? null,
    allowed_cidrs: presentCidrs(key.allowedCidrs),
    created_at: key.createdAt.toISOString(),
    created_by: key.createdBy,
    updated_at: key.updatedAt.toISOString(),
    previous_value_expires_at: previousEndsAt !== null && previousEndsAt > now ? previousEndsAt.toISOString() : null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  }
}

/** The payload of events of a key, without any part of the value. */
export function presentKeyEvent(key: KeyFacts): KeyEvent {
  const { id, name, description, enabled, role_ids, expires_at, allowed_cidrs, updated_at } = presentKey(
    key,
    key.updatedAt,
  )
  return { id, name, description, enabled, role_ids, expires_at, allowed_cidrs, updated_at }
}

/** The gateway authenticates a key by these facts. */
export interface IdentityFacts {
  readonly id: string
  readonly tenantId: string
  /**
   * False for an expired key too, by the clock of the database: an expiry set to the past needs no clock of a gateway.
   */
  readonly enabled: boolean
  readonly expiresAt: Date | null
  readonly allowedCidrs: readonly string[]
  readonly roleIds: readonly string[]
  /** When the value of the key hash ends; null for the current value. */
  readonly previousEndsAt: Date | null
}

export function presentIdentity(key: IdentityFacts): KeyIdentity {
  return {
    api_key_id: key.id,
    tenant_id: key.tenantId,
    value: key.previousEndsAt === null ? 'current' : 'previous',
    enabled: key.enabled,
    expires_at: earlierEnd(key.expiresAt, key.previousEndsAt)?.toISOString() ?? null,
    allowed_cidrs: presentCidrs(key.allowedCidrs),
    role_ids: [...key.roleIds],
  }
}

type Endpoints = (typeof apiKey)['endpoints']

export const toKeyChanges = ({
  expires_at: expiresAt,
  allowed_cidrs: cidrs,
  ...named
}: RequestOf<Endpoints['updateKey']>['body']) =>
  definedMembers({ ...named, expiresAt, allowedCidrs: cidrs === null ? [] : cidrs })

export type KeyFilter = ReturnType<typeof toKeyFilter>

/** Null permits every value. */
export const toKeyFilter = (query: RequestOf<Endpoints['listKeys']>['query']) => ({
  /** A part of the name, or the start of the id. */
  search: query.search ?? null,
  name: query.name ?? null,
  roleId: query.role_id ?? null,
  enabled: query.enabled === undefined ? null : query.enabled === 'true',
  unusedSince: query.unused_since ?? null,
  expiresBefore: query.expires_before ?? null,
})

export function toKeyUse(use: { api_key_id: string; tenant_id: string; used_at: Date }) {
  return { keyId: use.api_key_id, tenantId: use.tenant_id, usedAt: use.used_at }
}

function presentCidrs(allowedCidrs: readonly string[]): string[] | null {
  return allowedCidrs.length === 0 ? null : [...allowedCidrs]
}

/** null means never. */
function earlierEnd(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}
