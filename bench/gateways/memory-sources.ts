/**
 * A stub of api-key, rbac and payment-proxy for the memory benchmark. It knows every key, each of a tenant and with a
 * role of its own by default: the most that a gateway can have to cache.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type AuthorizationLeaseReply,
  type AuthorizationLeaseRequest,
  authorizationLeasePath,
} from '@payments/contracts/endpoints/authorization-lease'
import { base62, calculateChecksum, keyHash } from '@payments/contracts/grammar/key-value'
import { permissionNames } from '@payments/contracts/grammar/permission'

export interface KeySpace {
  readonly formatKey: (number: number) => string
  readonly formatTenantId: (number: number) => string
}

interface RequestBody extends AuthorizationLeaseRequest {
  readonly key_hash: string
  readonly uses: readonly unknown[]
  readonly role_ids: readonly string[]
}

/** Of every release of the source. */
const catalogue = 'one'
const readPermissions = permissionNames.filter((name) => /:Read/.test(name))

export function keySpace(tenants: number): KeySpace {
  return {
    formatKey(number) {
      const covered = `psk_dev_${base62(BigInt(number) + 2n ** 200n, 43)}`
      return covered + calculateChecksum(covered)
    },
    formatTenantId: (number) => buildUuid('tenant', number % tenants),
  }
}

function buildUuid(kind: string, number: number): string {
  const digits = createHash('sha256').update(`${kind} ${number}`).digest('hex')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-7$3-8$4-$5')
}

/** Returns the URL of the stub, which serves `keys` keys. */
export async function startSources(keys: number, tenants: number): Promise<string> {
  const { formatKey, formatTenantId } = keySpace(tenants)
  const numbers = new Map(Array.from({ length: keys }, (_, number) => [keyHash(formatKey(number)), number]))
  const buildIdentity = (number: number) => ({
    api_key_id: buildUuid('key', number),
    tenant_id: formatTenantId(number),
    value: 'current',
    enabled: true,
    expires_at: null,
    role_ids: [buildUuid('role', number % tenants)],
    allowed_cidrs: null,
  })
  const respond = (target: string, body: RequestBody) => {
    if (target === authorizationLeasePath) return leaseFor(body)
    if (target === '/internal/keys/identify') return { key: buildIdentity(numbers.get(body.key_hash) ?? 0) }
    if (target === '/internal/keys/uses') return { recorded: body.uses.length }
    if (target.endsWith('/resolve-roles')) return buildRoles(body.role_ids)
    return { data: [], next_cursor: null }
  }
  const server = createServer({ keepAliveTimeout: 100_000 }, async (request, response) => {
    const body = respond(request.url ?? '', await readBody(request))
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function leaseFor({ lease, report }: AuthorizationLeaseRequest): AuthorizationLeaseReply {
  const invalidated = lease?.since === undefined ? null : []
  const counts = report === undefined ? undefined : { replicas: 1, full_in_seconds: report.requests.map(() => 0) }
  return {
    ...(lease === undefined ? {} : { lease: { incarnation: 'one', epoch: 1, invalidated, lease_ms: 100, catalogue } }),
    ...(counts === undefined ? {} : { counts }),
  }
}

function buildRoles(ids: readonly string[]) {
  const roles = ids.map((id) => ({ id, name: 'viewer', permissions: readPermissions }))
  return { tenant_status: 'active', roles, permissions: readPermissions, unknown: [], catalogue }
}

async function readBody(request: IncomingMessage): Promise<RequestBody> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return JSON.parse(text === '' ? '{}' : text) as RequestBody
}
