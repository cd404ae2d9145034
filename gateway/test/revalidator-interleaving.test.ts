import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { keyHash } from '@payments/contracts/key-value'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { createResolver, type Principal } from '../src/authorization/resolver.ts'
import { tenantId, tokens } from './authorization-model.ts'
import { type CreateResolver, runSchedules } from './random-schedules.ts'

/**
 * Runs the caches of the gateway against model sources whose responses, versions and events are delayed, lost or
 * reordered at random. Each principal must be what the sources would respond at some moment after the request arrived:
 * without permissions removed before, and with permissions added before.
 */
const schedulesMax = 6_000
/** Most mutants fail within some hundred schedules. */
const mutantSchedulesMax = 1_500

/** Small caches, so that they evict entries. Every token is valid. */
const real =
  (create: typeof createResolver): CreateResolver =>
  (sources) =>
    create({
      sources,
      tokens: {
        verify: async (token) => ({
          tenantId,
          subject: token,
          roleNames: tokens[token] ?? [],
          expiresAtMs: Number.POSITIVE_INFINITY,
        }),
      },
      environment: 'dev',
      onKeyUsageFailure: () => {},
      cacheSizes: { keysMax: 2, unknownHashesMax: 2, grantsMax: 3, tokensMax: 1 },
    })

test('resolves no request by permissions that changed before the request arrived', async () => {
  const tally = await runSchedules(real(createResolver), { seed: 1, schedulesMax, violationsMax: 1 })
  expect(tally.story).toEqual([])
  expect(tally.schedules).toBe(schedulesMax)
  expect(tally.resolved).toBeGreaterThan(3 * schedulesMax)
  expect(tally.unavailable).toBeGreaterThan(0)
}, 300_000)

/** The usual scheme: caches principals, and clears the cache when the broker reports a change. */
const eventInvalidated: CreateResolver = ({ apiKey, rbac }, subscribe) => {
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
      permissions: granted.permissions,
      allowedCidrs: null,
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

/** One line of the real code changed. */
const mutations: [name: string, file: string, from: string, to: string][] = [
  [
    'joins a run that began before the request arrived',
    'single-flight.ts',
    'if (flight === undefined) return start(key, run)',
    'if (flight === undefined) return start(key, run)\n    if (flight !== undefined) return flight.current',
  ],
  [
    'stores a response although the version has changed',
    'dependency-cache.ts',
    'if (revalidator.version() === before) cache',
    'cache',
  ],
  ['does not revalidate keys', 'resolver.ts', '[keys.revalidate(), roles.revalidate()]', '[roles.revalidate()]'],
  ['does not revalidate roles', 'resolver.ts', '[keys.revalidate(), roles.revalidate()]', '[keys.revalidate()]'],
  ['does not revalidate roles for tokens', 'resolver.ts', '    await roles.revalidate()\n', ''],
  ['accepts another incarnation', 'revalidator.ts', 'known?.incarnation === incarnation &&', 'known !== undefined &&'],
  ['ignores a gap', 'revalidator.ts', 'else invalidateAll()', 'else if (invalidated !== null) invalidateAll()'],
  ['invalidates no key', 'key-cache.ts', 'key: keys.invalidate', 'key: () => {}'],
  ['invalidates no role', 'role-cache.ts', 'role: grants.invalidate', 'role: () => {}'],
  ['invalidates no tenant', 'role-cache.ts', 'tenant: grants.invalidate', 'tenant: () => {}'],
  [
    'caches an unknown key for ever',
    'key-cache.ts',
    'unknown_key_hashes: () => unknown.clear()',
    'unknown_key_hashes: () => {}',
  ],
  [
    'treats a failed read as an unchanged version',
    'revalidator.ts',
    "singleFlight('version', readVersion)",
    "singleFlight('version', readVersion).catch(() => {})",
  ],
  [
    'loses the dependencies of other entries when one is replaced',
    'dependency-cache.ts',
    'keys.delete(key)',
    'keys.clear()',
  ],
]

const source = join(import.meta.dirname, '..', 'src', 'authorization')
const data = join(import.meta.dirname, '..', '.data')
mkdirSync(data, { recursive: true })
const mutants = mkdtempSync(join(data, 'mutants-'))
afterAll(() => rmSync(mutants, { recursive: true }))

async function mutant(number: number, file: string, from: string, to: string): Promise<typeof createResolver> {
  const directory = join(mutants, String(number))
  mkdirSync(directory)
  for (const name of readdirSync(source)) {
    const text = readFileSync(join(source, name), 'utf8')
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
