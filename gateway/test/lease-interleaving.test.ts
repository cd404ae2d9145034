/** @slow It runs thousands of schedules. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { Batch } from '@payments/chassis/base/batch'
import { selectVersions, type VersionSessions } from '@payments/chassis/database/authorization-version-reads'
import { createLog } from '@payments/chassis/observability/log'
import { keyHash } from '@payments/contracts/grammar/key-value'
import { isPermission } from '@payments/contracts/grammar/permission'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Principal } from '../src/authorization/principal.ts'
import { createResolver } from '../src/authorization/resolver.ts'
import { sessionTokens, tenantId, toCredential, tokens } from './authorization-model.ts'
import { type Acknowledgment, type CreateResolver, realAcknowledgment, runSchedules } from './random-schedules.ts'
import type { CreateVersionReads } from './source-model.ts'

/**
 * Runs the caches of two gateways against model sources in simulated time. Messages are delayed, lost or reordered at
 * random, clocks drift by 1 %, processes pause and machines are suspended. Each principal must be what the sources
 * would respond at some moment after the request arrived: without permissions removed before, and with permissions
 * added before.
 */
const schedulesMax = 2_000
/** Most mutants fail within some hundred schedules. */
const mutantSchedulesMax = 1_500
/** Few schedules change something while two gateways share a read. */
const sharedReadSchedulesMax = 10_000

/** Small caches, so that they evict entries. Every token is valid. */
const real =
  (create: typeof createResolver): CreateResolver =>
  (sources, clock) => {
    const { resolve, close } = create({
      sources,
      clock,
      tokens: { verify: async (token) => readIdentity(token) },
      environment: 'dev',
      log: createLog('gateway', 'silent'),
      cacheSizes: { keysMax: 2, unknownHashesMax: 2, sessionsMax: 2, grantsMax: 3, tokensMax: 1 },
    })
    return { resolve: (value, context) => resolve(toCredential(value), context), close }
  }

function readIdentity(token: string) {
  const expiresAtMs = Number.POSITIVE_INFINITY
  const named = sessionTokens[token]
  if (named !== undefined) return { sessionId: named.id, subject: named.userId, expiresAtMs }
  return { tenantId, subject: token, roleNames: tokens[token] ?? [], expiresAtMs }
}

test.each([
  ['', false],
  [', while gateways share slow reads', true],
])(
  'resolves no request by permissions that changed before the request arrived%s',
  async (_, isDatabaseSlow) => {
    const tally = await runSchedules(real(createResolver), { seed: 1, schedulesMax, violationsMax: 1, isDatabaseSlow })
    expect(tally.story).toEqual([])
    expect(tally.schedules).toBe(schedulesMax)
    expect(tally.resolved).toBeGreaterThan(3 * schedulesMax)
    expect(tally.unavailable).toBeGreaterThan(0)
    expect(tally.fromCache).toBeGreaterThan(schedulesMax)
  },
  300_000,
)

/** The usual scheme: caches principals, and clears the cache when the broker reports a change. */
const eventInvalidated: CreateResolver = ({ apiKey, rbac }, _clock, subscribe) => {
  const cached = new Map<string, Principal | undefined>()
  subscribe(() => cached.clear())
  const load = async (credential: string): Promise<Principal | undefined> => {
    const context = { traceId: 'x' }
    const names = tokens[credential]
    const { key } =
      names === undefined
        ? await apiKey.identifyKey(context, { body: { key_hash: keyHash(credential) } })
        : { key: { api_key_id: credential, enabled: true, role_ids: [] } }
    if (!key?.enabled) return undefined
    const body = names === undefined ? { role_ids: key.role_ids } : { role_names: [...names] }
    const granted = await rbac.resolveRoles(context, { params: { tenant_id: tenantId }, body })
    return {
      tenantId,
      tenantStatus: granted.tenant_status,
      actor: { type: names === undefined ? 'api_key' : 'user', id: key.api_key_id },
      permissions: granted.permissions.filter(isPermission),
      roleIds: granted.roles.map(({ id }) => id),
      roleNames: granted.roles.map(({ name }) => name),
      allowedCidrs: null,
      ...{ sessionId: null, isSessionToken: false, authenticatedAt: null, client: null },
    }
  }
  return {
    async resolve(credential) {
      if (cached.has(credential)) return cached.get(credential)
      const principal = await load(credential).catch((cause: unknown) => {
        throw new Problem(commonProblems.authorization_unavailable, { cause })
      })
      cached.set(credential, principal)
      return principal
    },
    close: async () => {},
  }
}

test('a cache that broker events invalidate fails this check', async () => {
  const { violations, resolved } = await runSchedules(eventInvalidated, { seed: 1, schedulesMax: 500 })
  expect(resolved).toBeGreaterThan(1_000)
  expect(violations).toBeGreaterThan(20)
})

test.each<[string, Acknowledgment]>([
  ['acknowledges a change at once', { first: async () => {}, replay: async () => {} }],
  ['replays an acknowledgment at once', { ...realAcknowledgment, replay: async () => {} }],
])(
  'a source that %s fails this check',
  async (_, acknowledgment) => {
    const options = { seed: 1, schedulesMax: mutantSchedulesMax, violationsMax: 1, acknowledgment }
    const { violations } = await runSchedules(real(createResolver), options)
    expect(violations).toBeGreaterThan(0)
  },
  120_000,
)

/** Reads at once and without `since`, so that the changes of every gateway are in the row. */
const everyChange = (sessions: VersionSessions) => sessions.query({ text: '', values: [0, 1_001] })

const defectiveReads: [string, CreateVersionReads][] = [
  [
    'serves a gateway by the read in progress',
    (sessions) => {
      let reading: Promise<unknown[]> | undefined
      return {
        async read(since) {
          reading ??= everyChange(sessions).finally(() => {
            reading = undefined
          })
          const [reply] = await selectVersions({ query: async <R>() => (await reading) as R[] }, [since])
          if (reply === undefined) throw new Error('no reply')
          return reply
        },
      }
    },
  ],
  [
    'names the changes since the newest epoch that a gateway of a shared read knows',
    (sessions) => {
      const select = async (sinces: readonly (number | undefined)[]) => {
        const known = sinces.filter((since) => since !== undefined)
        const replies = await selectVersions(
          sessions,
          sinces.map((since) => since && Math.max(...known)),
        )
        return replies
      }
      const reads = new Batch(select, { runningMax: 1, gatherMs: 0 })
      return { read: (since) => reads.add(since) }
    },
  ],
]

test.each(defectiveReads)(
  'a source that %s fails this check',
  async (_, createReads) => {
    const options = {
      seed: 1,
      schedulesMax: sharedReadSchedulesMax,
      violationsMax: 1,
      createReads,
      isDatabaseSlow: true,
    }
    const { violations } = await runSchedules(real(createResolver), options)
    expect(violations).toBeGreaterThan(0)
  },
  120_000,
)

type Mutation = [name: string, file: string, from: string, to: string]

const invalidatesNo = (kind: string): Mutation => [
  `invalidates no ${kind}`,
  'leased-cache.ts',
  '[kind, values.invalidate]',
  `[kind, kind === '${kind}' ? () => {} : values.invalidate]`,
]

/** One line of the real code changed. */
const mutations: Mutation[] = [
  [
    'counts the lease from the response',
    'lease.ts',
    'const sentAt = now(clock)\n      const since = version?.epoch\n      const response = await readVersion(since)',
    'const since = version?.epoch\n      const response = await readVersion(since)\n      const sentAt = now(clock)',
  ],
  ['ignores the wall clock', 'clock.ts', 'Math.max(wallMs, clock', 'Math.max(0, clock'],
  ['ignores the monotonic clock', 'lease.ts', 'lease.durationMs\n', 'Number.POSITIVE_INFINITY\n'],
  [
    'admits a request by an earlier read whose lease has expired',
    'lease-reads.ts',
    'const isLeaseValid = isValid()',
    'const isLeaseValid = true',
  ],
  [
    'extends the lease by a failed read',
    'lease.ts',
    'const response = await readVersion(since)',
    'lease = { ...lease, sentAt }\n      const response = await readVersion(since)',
  ],
  [
    'joins a load that began before the request arrived',
    'single-flight.ts',
    'if (flight === undefined) return start(key, run)',
    'if (flight === undefined) return start(key, run)\n    if (flight !== undefined) return flight.current',
  ],
  [
    'stores a response although the version has changed',
    'leased-cache.ts',
    'lease.version() !== before || !isOfVersion',
    '!isOfVersion',
  ],
  [
    'acquires no lease for sessions',
    'session-resolver.ts',
    '[sessions.acquire(), roles.acquire()]',
    '[roles.acquire()]',
  ],
  [
    'acquires no lease for roles of sessions',
    'session-resolver.ts',
    '[sessions.acquire(), roles.acquire()]',
    '[sessions.acquire()]',
  ],
  invalidatesNo('session'),
  invalidatesNo('user'),
  [
    'retains the user of a session as no dependency',
    'session-cache.ts',
    '=> [sessionId, userId]',
    '=> (userId === "" ? [] : [sessionId])',
  ],
  ['acquires no lease for keys', 'resolver.ts', '[keys.acquire(), roles.acquire()]', '[roles.acquire()]'],
  ['acquires no lease for roles', 'resolver.ts', '[keys.acquire(), roles.acquire()]', '[keys.acquire()]'],
  ['acquires no lease for roles of tokens', 'resolver.ts', '    await roles.acquire()\n', ''],
  ['accepts another incarnation', 'lease.ts', 'version?.incarnation === incarnation &&', 'version !== undefined &&'],
  ['ignores a gap', 'lease.ts', 'else invalidateAll()', 'else if (invalidated !== null) invalidateAll()'],
  invalidatesNo('key'),
  invalidatesNo('role'),
  invalidatesNo('tenant'),
  ['caches an unknown key for ever', 'leased-cache.ts', '= () => unknownKeys?.clear()', '= () => {}'],
  [
    'treats a failed read as an unchanged version',
    'lease-reads.ts',
    'for (const { reject } of read.waiters) reject(error)',
    'for (const { resolve } of read.waiters) resolve()',
  ],
  [
    'loses the dependencies of other entries when one is replaced',
    'dependency-cache.ts',
    'keys.delete(key)',
    'keys.clear()',
  ],
]

const source = join(import.meta.dirname, '..', 'src', 'authorization')
const singleFlight = join(import.meta.dirname, '../../packages/chassis/src/base/single-flight.ts')
const data = join(import.meta.dirname, '..', '.data')
mkdirSync(data, { recursive: true })
const mutants = mkdtempSync(join(data, 'mutants-'))
afterAll(() => rmSync(mutants, { recursive: true }))

async function mutant(number: number, file: string, from: string, to: string): Promise<typeof createResolver> {
  const directory = join(mutants, String(number))
  mkdirSync(directory)
  for (const path of [...readdirSync(source).map((name) => join(source, name)), singleFlight]) {
    const name = basename(path)
    const text = readFileSync(path, 'utf8').replace("'@payments/chassis/base/single-flight'", "'./single-flight.ts'")
    if (name === file) expect(text.split(from)).toHaveLength(2)
    writeFileSync(join(directory, name), name === file ? text.replace(from, to) : text)
  }
  const changed = (await import(join(directory, 'resolver.ts'))) as { createResolver: typeof createResolver }
  return changed.createResolver
}

test.each(mutations.map((mutation, number) => [...mutation, number] as const))(
  'a cache that %s fails this check',
  async (_, file, from, to, number) => {
    const create = await mutant(number, file, from, to)
    const tally = await runSchedules(real(create), { seed: 1, schedulesMax: mutantSchedulesMax, violationsMax: 1 })
    expect(tally.violations).toBeGreaterThan(0)
  },
  120_000,
)
